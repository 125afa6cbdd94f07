#include "parity/engine/thread_placement.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "parity/engine/memory_policy.h"
#include "parity/engine/pinning.h"

namespace parity::engine {

Placement PlaceThread(const WorkerPlan::Worker& worker) {
  return {PinThread(worker.cpu), PreferNode(worker.node)};
}

std::vector<std::string> NewWarnings(const Placement& placement) {
  static std::atomic<bool> warned_of_cpu{false};
  static std::atomic<bool> warned_of_memory{false};
  std::vector<std::string> warnings;
  if (!placement.cpu.ok() && !warned_of_cpu.exchange(true)) {
    warnings.push_back(absl::StrCat("workers run unpinned: ", placement.cpu.ToString()));
  }
  if (!placement.memory.ok() && !warned_of_memory.exchange(true)) {
    warnings.push_back(
        absl::StrCat("memory comes from the node that touches it first, without a policy: ",
                     placement.memory.ToString()));
  }
  return warnings;
}

}  // namespace parity::engine
