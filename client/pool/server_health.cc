#include "server_health.h"

#include <algorithm>
#include <utility>

namespace parity::client {
namespace {

constexpr double kJitter = 0.25;

}  // namespace

ServerHealth::ServerHealth(std::function<double()> random01, const HealthOptions& options)
    : random01_(std::move(random01)), options_(options) {}

void ServerHealth::OnSuccess(Clock::time_point now) {
  window_.Add(now, false);
  failures_ = 0;
  open_ = false;
  open_until_ = Clock::time_point::min();
  EndTrial();
}

void ServerHealth::OnFailure(Clock::time_point now) {
  window_.Add(now, true);
  if (!open_) {
    if (++failures_ < options_.failures) return;
    open_for_ = std::min(options_.first_open, options_.longest_open);
    Open(now);
  } else if (now < trial_until_) {
    open_for_ = std::min(2 * open_for_, options_.longest_open);
    Open(now);
  }
}

void ServerHealth::OnFrozen(Clock::time_point now) {
  window_.Add(now, true);
  if (open_ && now >= trial_until_) return;
  open_for_ = open_ ? std::min(2 * open_for_, options_.longest_open) : options_.first_frozen;
  Open(now);
}

void ServerHealth::OnPushback(Clock::time_point until) {
  pushback_until_ = std::max(pushback_until_, until);
  EndTrial();
}

HealthState ServerHealth::State(Clock::time_point now) const {
  if (now < usable_from()) return HealthState::kEjected;
  return open_ ? HealthState::kTrial : HealthState::kUsable;
}

ServerHealth::Clock::time_point ServerHealth::usable_from() const {
  return std::max({open_until_, trial_until_, pushback_until_});
}

bool ServerHealth::TryStartTrial(Clock::time_point now) {
  if (State(now) != HealthState::kTrial) return false;
  trial_until_ = now + options_.trial_timeout;
  return true;
}

void ServerHealth::EndTrial() { trial_until_ = Clock::time_point::min(); }

double ServerHealth::FailureRate(Clock::time_point now) const {
  const FailureWindow::Counts counts = window_.Sum(now);
  if (counts.calls == 0 || counts.calls < options_.outlier_calls) return 0;
  return static_cast<double>(counts.failures) / static_cast<double>(counts.calls);
}

bool ServerHealth::IsOutlier(Clock::time_point now) const {
  return FailureRate(now) > options_.outlier_rate;
}

void ServerHealth::Open(Clock::time_point now) {
  const double factor = 1 - kJitter + 2 * kJitter * random01_();
  const std::chrono::duration<double, std::milli> jittered = open_for_ * factor;
  failures_ = 0;
  open_ = true;
  open_until_ = now + std::chrono::duration_cast<Clock::duration>(jittered);
  EndTrial();
}

}  // namespace parity::client
