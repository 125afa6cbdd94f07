// Runs loads side by side, each on a thread of its own, and counts what they do.
#ifndef PARITY_SERVER_BENCH_LOAD_GROUP_H_
#define PARITY_SERVER_BENCH_LOAD_GROUP_H_

#include <memory>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "load.h"

namespace parity::bench {

// What happened in some time.
struct Window {
  double seconds = 0;
  uint64_t answers = 0;
  uint64_t refused = 0;
  uint64_t failed = 0;

  double answers_per_s() const { return static_cast<double>(answers) / seconds; }
};

// Not thread-safe.
class LoadGroup {
 public:
  enum class Latencies { kIgnored, kRecorded };

  // Starts the loads.
  explicit LoadGroup(std::vector<std::unique_ptr<Load>> loads);
  LoadGroup(LoadGroup&&) = delete;
  ~LoadGroup();  // stops them

  // Lets the loads run for so long. If one ends in that time, stops all and returns its error.
  absl::StatusOr<Window> Watch(absl::Duration duration, Latencies latencies = Latencies::kIgnored);

  // Waits until every load has got its last answer. The first error of any.
  absl::Status Stop();

  // All that were recorded. REQUIRES: stopped.
  timing::LatencyHistogram latencies() const;

 private:
  struct Member {
    std::unique_ptr<Load> load;
    Meter meter;
    absl::Status status;  // once ended is true
    std::atomic<bool> ended{false};
    std::thread thread;
  };

  Window Totals() const;
  bool AnyEnded() const;

  LoadControl control_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_LOAD_GROUP_H_
