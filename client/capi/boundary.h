// Where C++ ends: statuses become numbers and texts, and exceptions go no further.
#ifndef PARITY_CLIENT_CAPI_BOUNDARY_H_
#define PARITY_CLIENT_CAPI_BOUNDARY_H_

#include <exception>
#include <new>
#include <string_view>

#include "absl/status/status.h"
#include "parity.h"

namespace parity::capi {

// INVALID_ARGUMENT naming the argument.
absl::Status NullArgument(std::string_view name);

// The number of a status; its texts go to `error` unless that is null, cut off between characters.
parity_status Report(const absl::Status& status, parity_error* error);
// The same without memory for a status.
parity_status Report(parity_status status, std::string_view message, parity_error* error) noexcept;

// What `body` returns, an absl::Status, for the caller in C.
template <class Body>
parity_status AtBoundary(parity_error* error, const Body& body) noexcept {
  try {
    return Report(body(), error);
  } catch (const std::bad_alloc&) {
    return Report(PARITY_RESOURCE_EXHAUSTED, "no memory", error);
  } catch (const std::exception& failure) {
    return Report(PARITY_INTERNAL, failure.what(), error);
  } catch (...) {
    return Report(PARITY_INTERNAL, "an exception of an unknown kind", error);
  }
}

}  // namespace parity::capi

#endif  // PARITY_CLIENT_CAPI_BOUNDARY_H_
