#include "placement.h"

#include <sched.h>

#include <cerrno>
#include <optional>

#include "parity/engine/worker_plan.h"

namespace parity::bench {
namespace {

// Nothing changes if there is but one worker.
absl::Status KeepToWorkersFrom(size_t (*first)(size_t workers)) {
  const absl::StatusOr<engine::WorkerPlan> plan = engine::PlanWorkers(std::nullopt);
  if (!plan.ok()) return plan.status();
  const size_t workers = plan->workers.size();
  if (workers < 2) return absl::OkStatus();
  cpu_set_t kept;
  CPU_ZERO(&kept);
  for (size_t worker = first(workers); worker < workers; ++worker) {
    CPU_SET(plan->workers[worker].cpu, &kept);
  }
  if (sched_setaffinity(0, sizeof kept, &kept) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "sched_setaffinity");
}

}  // namespace

absl::Status LeaveFirstWorkersCore() {
  return KeepToWorkersFrom([](size_t) -> size_t { return 1; });
}

absl::Status KeepToLastWorkersCore() {
  return KeepToWorkersFrom([](size_t workers) { return workers - 1; });
}

}  // namespace parity::bench
