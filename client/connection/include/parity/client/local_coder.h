// A Coder on this process's own kernels: no server, no threads. It may be used after fork(), too.
#ifndef PARITY_CLIENT_LOCAL_CODER_H_
#define PARITY_CLIENT_LOCAL_CODER_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "parity/client/coder.h"

namespace parity::client {

// `kernels` names a kernel table, or is "auto" for the best one this CPU can run. INVALID_ARGUMENT,
// listing the tables that this CPU can run, if it is none of them.
absl::StatusOr<std::unique_ptr<Coder>> MakeLocalCoder(std::string_view kernels = "auto");

}  // namespace parity::client

#endif  // PARITY_CLIENT_LOCAL_CODER_H_
