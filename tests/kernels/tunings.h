// Tunings that force each way of the kernels at any size.
#ifndef PARITY_TESTS_KERNELS_TUNINGS_H_
#define PARITY_TESTS_KERNELS_TUNINGS_H_

#include <cstddef>
#include <cstdint>

#include "parity/kernels/tuning.h"

namespace parity::kernels {

// The same thresholds for XOR and for matrices.
constexpr Tuning MakeTuning(const char* name, size_t align_all_from, size_t align_any_from,
                            size_t stream_from) {
  Tuning tuning{};
  tuning.measured_on = name;
  tuning.xor_align_all_from = tuning.gf_align_all_from = align_all_from;
  tuning.xor_align_any_from = tuning.gf_align_any_from = align_any_from;
  tuning.xor_stream_from = tuning.gf_stream_from = stream_from;
  return tuning;
}
static_assert(sizeof(Tuning) == sizeof(const char*) + 6 * sizeof(size_t),
              "a new threshold needs ways of its own here");

inline constexpr size_t kNever = SIZE_MAX;
inline constexpr Tuning kPlain = MakeTuning("plain", kNever, kNever, kNever);
inline constexpr Tuning kAlignAll = MakeTuning("align all", 0, kNever, kNever);
inline constexpr Tuning kAlignAny = MakeTuning("align any", 0, 0, kNever);
inline constexpr Tuning kStream = MakeTuning("stream", kNever, kNever, 0);
inline constexpr Tuning kEverything = MakeTuning("everything", 0, 0, 0);
// Different ways for the jobs of one batch.
inline constexpr Tuning kMixed = MakeTuning("mixed", 200, 500, 2000);

inline constexpr const Tuning* kTunings[] = {&kPlain,  &kAlignAll,   &kAlignAny,
                                             &kStream, &kEverything, &kMixed};

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_TUNINGS_H_
