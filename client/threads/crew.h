// A few threads for what blocks: connecting, looking up names.
//
// Key decision: a thread is started only when there is a task that no idle thread will take, and
// what waits is bounded. So a client that needs none has none, and one whose servers all hang is
// refused instead of growing.
#ifndef PARITY_CLIENT_POOL_CREW_H_
#define PARITY_CLIENT_POOL_CREW_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>

#include "absl/status/status.h"
#include "fork_guard.h"

namespace parity::client {

struct CrewOptions {
  // At least 1. They stay until the crew ends.
  size_t most_threads = 4;
  // Tasks that wait for a thread; more are refused.
  size_t most_queued = 256;
};

// Thread-safe. Tasks must not throw, nor return in a child that they forked.
class Crew {
 public:
  // Starts a thread that runs `body`, or throws std::system_error.
  using StartThread = std::function<std::thread(std::function<void()> body)>;

  // `start` is another than the usual for tests.
  explicit Crew(const CrewOptions& options = {}, StartThread start = nullptr);
  // Runs every task that was accepted, then joins; tasks are refused meanwhile. In a forked child
  // nothing is run or waited for: what the crew had is leaked, since its locks may be held by
  // threads that are not there. REQUIRES: not called by a task.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Has the task run, in the order of Submit, as soon as a thread is free. Else it is not run:
  //   RESOURCE_EXHAUSTED   most_queued tasks wait already
  //   UNAVAILABLE          no thread runs and none can be started
  //   FAILED_PRECONDITION  the process was forked after the crew was made, or the crew is ending
  absl::Status Submit(std::function<void()> task);
  // Has it run only if that can begin at once: a thread is idle or can be started.
  bool TrySubmit(std::function<void()> task);

  // Threads started so far; 0 in a forked child.
  size_t threads() const;

 private:
  struct State;

  absl::Status Add(std::function<void()> task, size_t most_queued);

  const size_t most_queued_;
  const ForkGuard guard_;
  std::unique_ptr<State> state_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_CREW_H_
