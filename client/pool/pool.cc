#include "pool.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "chooser.h"
#include "outliers.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

// How often one call may try one server: its connection may have ended just before the first time.
constexpr int kMostTries = 2;

// The longest that a server can keep calls away by asking for it.
constexpr absl::Duration kMostPushback = absl::Seconds(30);

// An attempt that took so long in vain tells that the server is frozen, not only slow; one that
// took less than the other says nothing, as its deadline may have been too short for any server.
constexpr absl::Duration kFrozen = absl::Milliseconds(250);
constexpr absl::Duration kTooShort = absl::Milliseconds(20);

// Between lookups, whatever fails.
constexpr absl::Duration kLeastResolveInterval = absl::Seconds(1);

double Random01() {
  thread_local absl::BitGen random;
  return absl::Uniform(random, 0.0, 1.0);
}

ServerHealth::Clock::time_point Now() { return ServerHealth::Clock::now(); }

}  // namespace

struct Pool::Member {
  explicit Member(std::shared_ptr<Server> of) : server(std::move(of)) {}

  const std::shared_ptr<Server> server;
  ServerHealth health{Random01};
  uint64_t failures = 0;
  ServerHealth::Clock::time_point asked_until = ServerHealth::Clock::time_point::min();
  bool is_given_up = false;  // as the log knows
  std::string last_failure;
};

Server& Pool::Choice::server() const { return *member_->server; }

void Pool::Tried::Add(const Choice& choice, bool may_be_tried_again) {
  for (auto& [member, tries] : tried_) {
    if (member != choice.member_) continue;
    tries = may_be_tried_again ? tries + 1 : kMostTries;
    return;
  }
  tried_.emplace_back(choice.member_, may_be_tried_again ? 1 : kMostTries);
}

int Pool::Tried::TriesOf(const Member& member) const {
  for (const auto& [other, tries] : tried_) {
    if (other.get() == &member) return tries;
  }
  return 0;
}

absl::StatusOr<std::unique_ptr<Pool>> Pool::Make(const ClientOptions& options, Lookup lookup) {
  std::unique_ptr<Pool> pool(new Pool(options, std::move(lookup)));
  if (absl::Status status = pool->AddTargets(); !status.ok()) return status;
  try {
    pool->keeper_ = std::thread(&Pool::KeepHouse, pool.get());
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(absl::StrCat("no thread for the client: ", error.what()));
  }
  return pool;
}

Pool::Pool(const ClientOptions& options, Lookup lookup)
    : options_(options), lookup_(lookup ? std::move(lookup) : [this](const std::string& host) {
        return LookUpHost(host, [this] { return ending_.load(); });
      }) {}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (keeper_.joinable()) keeper_.join();
}

absl::StatusOr<std::shared_ptr<Pool::Member>> Pool::MakeMember(const std::string& address,
                                                               const std::string& name) {
  absl::StatusOr<std::shared_ptr<Server>> server = Server::Make(address, name, options_);
  if (!server.ok()) return server.status();
  return std::make_shared<Member>(*std::move(server));
}

absl::Status Pool::AddTargets() {
  std::vector<std::string> addresses;
  for (size_t i = 0; i < options_.targets.size(); ++i) {
    absl::StatusOr<Target> target =
        ParseTarget(absl::StrCat("targets[", i, "]"), options_.targets[i]);
    if (!target.ok()) return target.status();
    if (target->is_name) {
      names_.push_back(*std::move(target));
    } else {
      addresses.push_back(target->endpoint.ToString());
    }
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (const std::string& address : addresses) {
    absl::StatusOr<std::shared_ptr<Member>> member = MakeMember(address, "");
    if (!member.ok()) return member.status();
    fixed_.push_back(*std::move(member));
  }
  members_ = fixed_;
  resolved_ = names_.empty();
  return absl::OkStatus();
}

void Pool::KeepHouse() {
  absl::Time resolved_at = absl::InfinitePast();
  absl::Time tick_at = absl::InfinitePast();
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ending_) {
    const absl::Time now = absl::Now();
    absl::Time resolve_at =
        names_.empty()
            ? absl::InfiniteFuture()
            : resolved_at + (resolve_soon_ ? kLeastResolveInterval : options_.resolve_interval);
    if (now >= resolve_at) {
      resolve_soon_ = false;
      lock.unlock();
      ResolveAll();
      lock.lock();
      resolved_at = now;
      continue;
    }
    if (now >= tick_at) {
      const Members members = members_;
      lock.unlock();
      tick_at = absl::InfiniteFuture();
      for (const auto& member : members) tick_at = std::min(tick_at, member->server->Tick(now));
      lock.lock();
    }
    const absl::Time until = std::min(resolve_at, tick_at);
    if (!ending_ && absl::Now() < until) {
      if (until == absl::InfiniteFuture()) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, absl::ToChronoTime(until));
      }
    }
  }
}

void Pool::ResolveAll() {
  absl::Status failure;
  found_.resize(names_.size());
  for (size_t i = 0; i < names_.size() && !ending_; ++i) {
    absl::StatusOr<std::vector<std::string>> found = Resolve(names_[i], lookup_);
    // Servers do not vanish because a name server does.
    if (found.ok()) {
      found_[i] = *std::move(found);
    } else {
      failure = found.status();
    }
  }
  Members before;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    before = members_;
  }
  Members members = fixed_;
  for (size_t i = 0; i < found_.size(); ++i) {
    for (const std::string& address : found_[i]) {
      const auto is_it = [&address](const auto& member) {
        return member->server->address() == address;
      };
      if (std::any_of(members.begin(), members.end(), is_it)) continue;
      const auto known = std::find_if(before.begin(), before.end(), is_it);
      if (known != before.end()) {
        members.push_back(*known);
      } else if (auto member = MakeMember(address, names_[i].endpoint.host); member.ok()) {
        members.push_back(*std::move(member));
      } else {
        failure = member.status();
      }
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  members_ = std::move(members);
  lookup_failure_ = failure;
  resolved_ = true;
  changed_.notify_all();
}

Pool::Choice Pool::Choose(const Tried& tried, absl::Time deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_until(lock, absl::ToChronoTime(deadline),
                      [this] { return resolved_ || !members_.empty(); });
  const auto now = Now();
  Choice choice;
  ++turn_;
  // A server that may be back gets one call, so that it is known.
  for (const auto& member : members_) {
    if (tried.TriesOf(*member) > 0 || !member->health.TryStartTrial(now)) continue;
    choice.member_ = member;
    choice.is_trial_ = true;
    return choice;
  }
  if (members_.size() == 1) {  // there is nothing to compare
    const std::shared_ptr<Member>& only = members_.front();
    if (only->health.State(now) == HealthState::kUsable && tried.TriesOf(*only) < kMostTries) {
      choice.member_ = only;
    }
    return choice;
  }
  std::vector<const ServerHealth*> healths;
  for (const auto& member : members_) healths.push_back(&member->health);
  const std::vector<size_t> outliers = OutliersToEject(healths, now);
  for (int tries = 0; tries < kMostTries && !choice; ++tries) {
    std::vector<Candidate> candidates;
    for (const auto& member : members_) {
      candidates.push_back({member->server->bytes_in_flight(),
                            member->health.State(now) == HealthState::kUsable,
                            tried.TriesOf(*member) != tries});
    }
    // An outlier is better than none.
    std::vector<Candidate> good = candidates;
    for (const size_t outlier : outliers) good[outlier].usable = false;
    int chosen = ChooseServer(good, turn_);
    if (chosen < 0) chosen = ChooseServer(candidates, turn_);
    if (chosen >= 0) choice.member_ = members_[static_cast<size_t>(chosen)];
  }
  return choice;
}

Pool::Choice Pool::ChooseGivenUp(const Tried& tried) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = Now();
  Choice choice;
  for (size_t i = 0; i < members_.size() && !choice; ++i) {
    const auto& member = members_[(turn_ + i) % members_.size()];
    const bool is_given_up =
        member->health.State(now) != HealthState::kUsable && member->asked_until <= now;
    if (is_given_up && tried.TriesOf(*member) == 0) choice.member_ = member;
  }
  return choice;
}

void Pool::Report(const Choice& choice, const absl::Status& status, absl::Duration allowed) {
  Member& member = *choice.member_;
  std::string line;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto now = Now();
    const std::optional<absl::Duration> pushback = RetryDelayOf(status);
    const bool is_answer = status.ok() || absl::IsInvalidArgument(status) ||
                           absl::IsFailedPrecondition(status) ||
                           (absl::IsResourceExhausted(status) && !pushback.has_value());
    if (pushback.has_value()) {
      const auto until = now + absl::ToChronoNanoseconds(std::min(*pushback, kMostPushback));
      member.asked_until = std::max(member.asked_until, until);
      member.health.OnPushback(until);
    } else if (is_answer) {
      member.health.OnSuccess(now);
    } else if (absl::IsCancelled(status) ||
               (absl::IsDeadlineExceeded(status) && allowed < kTooShort)) {
      // Says nothing of the server.
      if (choice.is_trial_) member.health.EndTrial();
    } else {
      ++member.failures;
      member.last_failure = std::string(status.message());
      if (absl::IsDeadlineExceeded(status) && allowed >= kFrozen) {
        member.health.OnFrozen(now);
      } else {
        member.health.OnFailure(now);
      }
      resolve_soon_ = true;
      changed_.notify_all();
    }
    const bool given_up = member.health.State(now) != HealthState::kUsable && !pushback.has_value();
    if (given_up && !member.is_given_up) {
      const std::string place = absl::StrCat(member.server->address(), ": ");
      absl::string_view why = member.last_failure;
      absl::ConsumePrefix(&why, place);
      line = absl::StrCat(place, "not used until it answers: ", why);
      member.is_given_up = true;
    } else if (is_answer && member.is_given_up) {
      line = absl::StrCat(member.server->address(), ": answers again");
      member.is_given_up = false;
    }
  }
  if (!line.empty()) options_.log(line);
}

Pool::Usable Pool::NextUsable() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto now = Now();
  const Member* first = nullptr;
  for (const auto& member : members_) {
    if (member->health.State(now) != HealthState::kEjected) return {absl::InfinitePast(), false};
    if (first == nullptr || member->health.usable_from() < first->health.usable_from()) {
      first = member.get();
    }
  }
  if (first == nullptr) return {absl::InfiniteFuture(), false};
  const auto from = first->health.usable_from();
  return {absl::Now() + absl::FromChrono(from - now), first->asked_until == from};
}

std::string Pool::WhyNone() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (members_.empty()) {
    return lookup_failure_.ok() ? "no server is known yet" : std::string(lookup_failure_.message());
  }
  for (const auto& member : members_) {
    if (!member->last_failure.empty()) return member->last_failure;
  }
  return "all servers are overloaded";
}

size_t Pool::size() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return members_.size();
}

uint64_t Pool::MaxRequestBytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t most = UINT64_MAX;
  for (const auto& member : members_) most = std::min(most, member->server->MaxRequestBytes());
  return most;
}

Server* Pool::OnlyServer() {
  return names_.empty() && fixed_.size() == 1 ? fixed_.front()->server.get() : nullptr;
}

std::vector<ClientStats::Server> Pool::Stats() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ClientStats::Server> stats;
  for (const auto& member : members_) {
    stats.push_back({member->server->address(), member->server->attempts(), member->failures,
                     member->server->bytes_in_flight(),
                     member->health.State(Now()) != HealthState::kEjected});
  }
  return stats;
}

}  // namespace parity::client
