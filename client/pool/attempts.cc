#include "attempts.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backoff.h"
#include "hedge.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

double Random01() {
  thread_local absl::BitGen random;
  return absl::Uniform(random, 0.0, 1.0);
}

bool IsCalledOff(const CallOptions& options) {
  return options.cancellation != nullptr && options.cancellation->is_cancelled();
}

// One attempt. CANCELLED only by who has asked: a server that ends a call so is one that fails.
absl::Status Ask(Server& server, const Request& request, const CallOptions& options) {
  absl::Status status = server.Run(request, options);
  if (!absl::IsCancelled(status) || IsCalledOff(options)) return status;
  return absl::UnavailableError(
      absl::StrCat(server.address(), ": has ended the call: ", status.message()));
}

bool IsTooLarge(const absl::Status& status) {
  return absl::IsResourceExhausted(status) && codec::FieldOf(status).has_value();
}

}  // namespace

bool Attempts::IsFinal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status) ||
         absl::IsCancelled(status);
}

void Attempts::Pause(absl::Time until, const CallOptions& options) {
  std::mutex mutex;
  std::condition_variable cancelled;
  const Cancellation::Listener listener(options.cancellation, [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    cancelled.notify_all();
  });
  std::unique_lock<std::mutex> lock(mutex);
  cancelled.wait_until(lock, absl::ToChronoTime(until),
                       [&options] { return IsCalledOff(options); });
}

absl::Status Attempts::Run(const Request& whole, const CallOptions& options, bool has_other_way,
                           size_t* done) {
  Pool::Tried tried;
  absl::Status last;
  bool was_damaged = false;
  int attempts = 0;  // in vain, but for those that were asked to come back later
  for (;;) {
    if (IsCalledOff(options)) return absl::CancelledError("cancelled");
    const absl::Time now = absl::Now();
    if (now >= options.deadline) {
      return absl::DeadlineExceededError(
          last.ok() ? "no answer in time" : absl::StrCat("no success in time: ", last.message()));
    }
    const absl::Duration left = options.deadline - now;
    const bool has_alternative = has_other_way || pool_.size() > 1;
    const absl::Duration allowed =
        has_alternative ? std::min(options_.attempt_timeout, left / 2) : left;
    Pool::Choice choice = pool_.Choose(tried, now + allowed);
    bool is_paid = attempts == 0;
    if (!choice && !has_other_way) {
      choice = pool_.ChooseGivenUp(tried);
      is_paid = true;
      if (choice && !budget_.Withdraw()) choice = Pool::Choice();
    }
    if (!choice) {
      if (last.ok()) last = absl::UnavailableError(pool_.WhyNone());
      if (has_other_way) return last;
      // A server that asks to be left alone for a while is waited for; one that was given up only
      // if it is to be tried soon, and that counts as an attempt.
      const Pool::Usable next = pool_.NextUsable();
      const bool is_given_up = next.from > now && !next.is_asked_for;
      if (is_given_up &&
          (next.from - now > options_.longest_backoff || ++attempts >= options_.max_attempts)) {
        return last;
      }
      absl::Time until = next.from;
      if (next.from <= now) {
        until = now + BackoffOf(std::max(attempts - 1, 0), options_.first_backoff,
                                options_.longest_backoff, Random01());
      }
      if (until >= options.deadline) return last;
      Pause(until, options);
      tried.Clear();
      continue;
    }
    if (!is_paid && !budget_.Withdraw()) {
      Count(counters_.retries_refused);
      pool_.Report(choice, absl::CancelledError(""), absl::ZeroDuration());
      return last;
    }
    if (attempts > 0) Count(counters_.retries);
    std::optional<RequestSlice> rest;
    if (*done > 0) rest.emplace(whole, *done, whole.shard_bytes);
    size_t done_now = 0;
    Request request = rest.has_value() ? rest->request() : whole;
    request.done = &done_now;
    absl::Status status =
        Try(choice, tried, request,
            {std::min(options.deadline, now + allowed), options.cancellation, options.traceparent});
    if (rest.has_value() && (status.ok() || done_now > 0)) rest->MergeReport();
    if (status.ok()) {
      if (attempts == 0) budget_.OnSuccess();
      return status;
    }
    *done += done_now;
    if (IsFinal(status) || IsTooLarge(status)) return status;
    last = status;
    const bool is_damaged = absl::IsDataLoss(status);
    if (is_damaged) {
      Count(counters_.damaged_shards);
      options_.log(absl::StrCat(choice.server().address(), ": ", status.message()));
      if (was_damaged) return status;
      was_damaged = true;
    }
    tried.Add(choice, absl::IsUnavailable(status));
    if (RetryDelayOf(status).has_value()) {
      Count(counters_.pushbacks);
    } else if (++attempts >= options_.max_attempts) {
      return last;
    }
  }
}

absl::Status Attempts::TryOne(const Pool::Choice& choice, const Request& request,
                              const CallOptions& options) {
  const absl::Duration allowed = options.deadline - absl::Now();
  absl::Status status = Ask(choice.server(), request, options);
  pool_.Report(choice, status, allowed);
  return status;
}

absl::Status Attempts::Try(const Pool::Choice& choice, const Pool::Tried& tried,
                           const Request& request, const CallOptions& options) {
  const bool reads =
      request.operation == Operation::kReconstruct || request.operation == Operation::kVerify;
  if (options_.hedge_after == absl::ZeroDuration() || !reads || pool_.size() < 2) {
    return TryOne(choice, request, options);
  }
  return TryHedged(choice, tried, request, options);
}

absl::Status Attempts::TryHedged(const Pool::Choice& choice, const Pool::Tried& tried,
                                 const Request& request, const CallOptions& options) {
  const absl::Duration allowed = options.deadline - absl::Now();
  Hedge hedge(request, options);
  const bool has_started = crew_.TrySubmit([&] {
    hedge.RunFirst(
        [&](const Request& of, const CallOptions& how) { return Ask(choice.server(), of, how); });
  });
  if (!has_started) return TryOne(choice, request, options);
  if (!hedge.AwaitFirst(absl::Now() + options_.hedge_after)) {
    Pool::Tried both = tried;
    both.Add(choice, false);
    const Pool::Choice second = pool_.Choose(both, absl::Now());
    bool is_asked = false;
    if (second && budget_.Withdraw()) {
      Count(counters_.hedges);
      hedge.RunSecond([&](const Request& of, const CallOptions& how) {
        is_asked = true;
        return TryOne(second, of, how);
      });
    }
    if (second && !is_asked) pool_.Report(second, absl::CancelledError(""), absl::ZeroDuration());
  }
  absl::Status status = hedge.AwaitBoth();
  if (hedge.second_won()) {
    Count(counters_.hedges_won);
    // One that is always slower is given up, so that not every call has to wait for it first.
    pool_.Report(choice, absl::UnavailableError("another server was faster"), allowed);
  } else {
    pool_.Report(choice, status, allowed);
  }
  return status;
}

}  // namespace parity::client
