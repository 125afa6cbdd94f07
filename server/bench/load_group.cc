#include "load_group.h"

#include <algorithm>
#include <utility>

#include "absl/time/clock.h"

namespace parity::bench {
namespace {

// How soon a load that has failed is noticed.
constexpr absl::Duration kNotice = absl::Milliseconds(20);

}  // namespace

LoadGroup::LoadGroup(std::vector<std::unique_ptr<Load>> loads) {
  for (std::unique_ptr<Load>& load : loads) {
    members_.push_back(std::make_unique<Member>());
    Member& member = *members_.back();
    member.load = std::move(load);
    member.thread = std::thread([this, &member] {
      member.status = member.load->Run(control_, member.meter);
      member.ended = true;
    });
  }
}

LoadGroup::~LoadGroup() { Stop().IgnoreError(); }

absl::StatusOr<Window> LoadGroup::Watch(absl::Duration duration, Latencies latencies) {
  control_.recording = latencies == Latencies::kRecorded;
  const Window before = Totals();
  const absl::Time begin = absl::Now();
  const absl::Time end = begin + duration;
  for (absl::Time now = begin; now < end; now = absl::Now()) {
    absl::SleepFor(std::min(end - now, kNotice));
    if (!AnyEnded()) continue;
    absl::Status status = Stop();
    return status.ok() ? absl::InternalError("a load ended early") : status;
  }
  Window window = Totals();
  window.seconds = absl::ToDoubleSeconds(absl::Now() - begin);
  control_.recording = false;
  window.answers -= before.answers;
  window.refused -= before.refused;
  window.failed -= before.failed;
  return window;
}

absl::Status LoadGroup::Stop() {
  control_.stopping = true;
  absl::Status status;
  for (const auto& member : members_) {
    if (member->thread.joinable()) member->thread.join();
    status.Update(member->status);
  }
  return status;
}

timing::LatencyHistogram LoadGroup::latencies() const {
  timing::LatencyHistogram all;
  for (const auto& member : members_) all.Merge(member->meter.latencies);
  return all;
}

Window LoadGroup::Totals() const {
  Window totals;
  for (const auto& member : members_) {
    totals.answers += member->meter.answers;
    totals.refused += member->meter.refused;
    totals.failed += member->meter.failed;
  }
  return totals;
}

bool LoadGroup::AnyEnded() const {
  return std::any_of(members_.begin(), members_.end(),
                     [](const auto& member) { return member->ended.load(); });
}

}  // namespace parity::bench
