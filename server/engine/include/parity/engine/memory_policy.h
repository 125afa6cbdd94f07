// From which NUMA node the memory of the calling thread comes.
#ifndef PARITY_ENGINE_MEMORY_POLICY_H_
#define PARITY_ENGINE_MEMORY_POLICY_H_

#include <cstdint>

#include "absl/status/status.h"

namespace parity::engine {

// Pages that the calling thread touches first come from `node` from now on, while it has free ones,
// on whichever CPU the thread runs (set_mempolicy(2), MPOL_PREFERRED). Pages that were touched
// before stay where they are.
//
// An error of the operating system is returned as it is: PERMISSION_DENIED under the default
// seccomp profile of containers, UNIMPLEMENTED where there is no such call, INVALID_ARGUMENT if the
// node has no memory that this process may use. Then a page comes from the node of the CPU that
// touches it first, the same node for a pinned thread. Allocates nothing if it succeeds.
absl::Status PreferNode(uint32_t node);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_MEMORY_POLICY_H_
