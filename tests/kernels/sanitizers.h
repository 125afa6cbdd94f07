// Which sanitizers a test is built with.
#ifndef PARITY_TESTS_KERNELS_SANITIZERS_H_
#define PARITY_TESTS_KERNELS_SANITIZERS_H_

// GCC defines a macro for each, clang answers __has_feature.
#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif

namespace parity::kernels {

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_SANITIZERS_H_
