// Whether one server is worth calling: a circuit breaker, and what outliers are told by.
//
// Key decision: every state ends by itself at a known time. A breaker that is open, a trial whose
// caller never reports and a server that asked for a pause each end at usable_from(), so that no
// lost report can keep a server out for good.
#ifndef PARITY_CLIENT_POOL_SERVER_HEALTH_H_
#define PARITY_CLIENT_POOL_SERVER_HEALTH_H_

#include <chrono>
#include <cstdint>
#include <functional>

#include "failure_window.h"

namespace parity::client {

struct HealthOptions {
  // So many in a row open the breaker.
  int failures = 5;
  // It then stays open so long, and twice as long after each trial that fails, up to
  // `longest_open`; each time a quarter more or less, by chance, so that not all clients come back
  // at once.
  std::chrono::milliseconds first_open{100};
  std::chrono::milliseconds longest_open{10'000};
  // What it stays open for at first when a server is frozen: to try costs a call much time.
  std::chrono::milliseconds first_frozen{1'000};
  // A trial that is not reported for so long makes room for another.
  std::chrono::milliseconds trial_timeout{10'000};
  // A server is an outlier if of at least so many calls (FailureWindow) more than `outlier_rate`
  // failed.
  uint64_t outlier_calls = 20;
  double outlier_rate = 0.5;
};

enum class HealthState {
  kUsable,
  kTrial,    // it was open for long enough: one caller may try
  kEjected,  // not to be called until usable_from()
};

// Not thread-safe: the pool's mutex guards it together with what a server is chosen by.
class ServerHealth {
 public:
  // That of the pool; it does not go back, so no step of the time of day can prolong a state.
  using Clock = FailureWindow::Clock;

  // `random01` gives numbers from 0 to 1, as chance has it.
  explicit ServerHealth(std::function<double()> random01, const HealthOptions& options = {});

  // A call has succeeded: closes the breaker. Also one that began before it opened, since the
  // server evidently works. The window and what the server asked for stay.
  void OnSuccess(Clock::time_point now);
  // A call has failed by the fault of the server or the network. While the breaker is open and no
  // trial is under way, it began before and tells nothing new.
  void OnFailure(Clock::time_point now);
  // A call got no answer in all the time that it could be given: opens the breaker at once.
  void OnFrozen(Clock::time_point now);
  // The server asked not to be called until then, in answer to a call or to a trial, which is then
  // over. The latest time counts; the caller bounds it.
  void OnPushback(Clock::time_point until);

  HealthState State(Clock::time_point now) const;
  // From when on it is not kEjected, if nothing else comes; time_point::min() if it never was.
  Clock::time_point usable_from() const;

  // True if it is kTrial: then it is kEjected for others until the caller reports one of the above
  // or EndTrial, or the trial times out.
  bool TryStartTrial(Clock::time_point now);
  // The trial has ended and says nothing of the server, as if it was cancelled: another may try at
  // once.
  void EndTrial();

  // Of the calls in the window, from 0 to 1; 0 if they are too few to tell.
  double FailureRate(Clock::time_point now) const;
  bool IsOutlier(Clock::time_point now) const;

 private:
  void Open(Clock::time_point now);

  const std::function<double()> random01_;
  const HealthOptions options_;

  int failures_ = 0;  // in a row, while it is closed
  bool open_ = false;
  std::chrono::milliseconds open_for_{0};  // but for chance
  // When each ends, or has ended.
  Clock::time_point open_until_ = Clock::time_point::min();
  Clock::time_point trial_until_ = Clock::time_point::min();
  Clock::time_point pushback_until_ = Clock::time_point::min();

  FailureWindow window_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_SERVER_HEALTH_H_
