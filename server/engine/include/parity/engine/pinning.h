// Names the calling thread and ties it to a CPU.
#ifndef PARITY_ENGINE_PINNING_H_
#define PARITY_ENGINE_PINNING_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace parity::engine {

// `name` is cut to the 15 characters that Linux keeps.
void NameThread(const std::string& name);

// Memory that the thread touches first then comes from the node of that CPU. An error of the
// operating system is returned as it is; the thread goes on unpinned. Allocates nothing if it
// succeeds.
absl::Status PinThread(uint32_t cpu);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_PINNING_H_
