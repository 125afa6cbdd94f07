#include "parity/client/client.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "attempts.h"
#include "counters.h"
#include "crew.h"
#include "fork_guard.h"
#include "parity/client/local_coder.h"
#include "parity/codec/field_error.h"
#include "pool.h"
#include "slices.h"
#include "speed_table.h"

namespace parity::client {
namespace {

using codec::InvalidField;

constexpr uint64_t kLeastSliceBytes = 64 << 10;

// Threads that one client starts at most, for slices and hedges.
constexpr size_t kMostHelpers = 32;

void WriteLine(const std::string& line) {
  std::fprintf(stderr, "parityd client: %s\n", line.c_str());
}

absl::Status CheckPositive(std::string_view name, absl::Duration duration) {
  if (duration > absl::ZeroDuration()) return absl::OkStatus();
  return InvalidField(name, absl::FormatDuration(duration), "more than 0");
}

absl::Status CheckRange(std::string_view name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return InvalidField(name, value, absl::StrCat(least, " to ", most));
}

absl::Status CheckOptions(const ClientOptions& options) {
  if (options.targets.size() > Client::kMaxTargets) {
    return InvalidField("targets", options.targets.size(),
                        absl::StrCat("at most ", Client::kMaxTargets));
  }
  if (options.targets.empty() && options.policy == Policy::kRemoteOnly) {
    return InvalidField("targets", "none", "a server, as the policy is remote-only");
  }
  absl::Status status = CheckPositive("deadline", options.deadline);
  status.Update(CheckPositive("attempt_timeout", options.attempt_timeout));
  status.Update(CheckPositive("first_backoff", options.first_backoff));
  status.Update(CheckPositive("longest_backoff", options.longest_backoff));
  status.Update(CheckPositive("resolve_interval", options.resolve_interval));
  status.Update(CheckRange("max_attempts", options.max_attempts, 1, 100));
  status.Update(CheckRange("retry_tokens", options.retry_tokens, 0, 1'000'000));
  status.Update(CheckRange("connections", options.connections, 1, Client::kMaxConnections));
  status.Update(CheckRange("slices_in_flight", options.slices_in_flight, 1, 64));
  if (options.retry_ratio < 0 || options.retry_ratio > 1) {
    status.Update(InvalidField("retry_ratio", options.retry_ratio, "0 to 1"));
  }
  status.Update(CheckTls(options.connection.tls));
  if (options.hedge_after < absl::ZeroDuration()) {
    status.Update(
        InvalidField("hedge_after", absl::FormatDuration(options.hedge_after), "0 or more"));
  }
  if (options.slice_bytes < kLeastSliceBytes) {
    status.Update(InvalidField("slice_bytes", options.slice_bytes,
                               absl::StrCat("at least ", kLeastSliceBytes)));
  }
  return status;
}

// What a client consists of, in the order in which it is made.
struct Parts {
  explicit Parts(ClientOptions with) : options(std::move(with)) {}

  const ClientOptions options;
  Counters counters;
  std::unique_ptr<Coder> local;
  std::unique_ptr<Pool> pool;  // null without targets
  std::unique_ptr<Crew> crew;
  std::unique_ptr<Attempts> attempts;
  SpeedTable speeds;
  std::atomic<int> computing{0};        // calls of kPreferLocal that run here
  std::atomic<bool> falls_back{false};  // as the log knows
};

class PooledClient final : public Client {
 public:
  explicit PooledClient(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
  ~PooledClient() override {
    if (guard_.IsInherited()) static_cast<void>(parts_.release());
  }

  absl::Status Run(const Request& request, const CallOptions& options) override {
    if (guard_.IsInherited()) return Inherited();
    absl::Status status = CheckTraceparent(options);
    if (status.ok()) status = RunAnywhere(request, options);
    if (!status.ok()) Count(parts_->counters.failed_calls);
    return status;
  }

  absl::StatusOr<Buffer> Allocate(size_t bytes) override {
    if (guard_.IsInherited()) return Inherited();
    Server* const only = parts_->pool == nullptr ? nullptr : parts_->pool->OnlyServer();
    if (only == nullptr) return AllocateBuffer(bytes);
    return only->Allocate(bytes, {DeadlineFor({})});
  }

  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options) override {
    if (guard_.IsInherited()) return Inherited();
    if (parts_->pool == nullptr) return InvalidField("targets", "none", "a server");
    if (absl::Status status = CheckTraceparent(options); !status.ok()) return status;
    const absl::Time deadline = DeadlineFor(options);
    Pool::Tried tried;
    absl::Status last;
    for (int attempt = 0; attempt < parts_->options.max_attempts; ++attempt) {
      const Pool::Choice choice = parts_->pool->Choose(tried, deadline);
      if (!choice) break;
      const absl::Duration allowed = deadline - absl::Now();
      absl::StatusOr<ServerInfo> info =
          choice.server().GetServerInfo({deadline, options.cancellation, options.traceparent});
      parts_->pool->Report(choice, info.status(), allowed);
      if (info.ok()) return info;
      last = info.status();
      tried.Add(choice, absl::IsUnavailable(last));
    }
    return last.ok() ? absl::UnavailableError(parts_->pool->WhyNone()) : last;
  }

  ClientStats GetStats() const override {
    ClientStats stats;
    if (guard_.IsInherited()) return stats;
    const Counters& counters = parts_->counters;
    // Not both of a call that is computed here, which may take no longer than counting twice.
    stats.calls = counters.calls_to_servers + counters.local_slices;
    stats.failed_calls = counters.failed_calls;
    stats.remote_slices = counters.remote_slices;
    stats.local_slices = counters.local_slices;
    stats.fallback_slices = counters.fallback_slices;
    stats.retries = counters.retries;
    stats.retries_refused = counters.retries_refused;
    stats.pushbacks = counters.pushbacks;
    stats.hedges = counters.hedges;
    stats.hedges_won = counters.hedges_won;
    stats.damaged_shards = counters.damaged_shards;
    if (parts_->pool != nullptr) stats.servers = parts_->pool->Stats();
    return stats;
  }

 private:
  static absl::Status Inherited() {
    return absl::FailedPreconditionError(
        "the client was made before this process was forked: make one after fork()");
  }

  absl::Time DeadlineFor(const CallOptions& options) const {
    return std::min(options.deadline, absl::Now() + parts_->options.deadline);
  }

  absl::Status RunAnywhere(const Request& request, const CallOptions& options) {
    switch (parts_->pool == nullptr ? Policy::kPreferLocal : parts_->options.policy) {
      case Policy::kRemoteOnly:
      case Policy::kPreferRemote:
        return RunAtServers(request, options);
      case Policy::kPreferLocal: {
        if (parts_->pool == nullptr) return RunHere(request, options);
        static const auto kCpus =
            static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        const int computing = parts_->computing.fetch_add(1, std::memory_order_relaxed);
        absl::Status status =
            computing < kCpus ? RunHere(request, options) : RunAtServers(request, options);
        parts_->computing.fetch_sub(1, std::memory_order_relaxed);
        return status;
      }
      case Policy::kFastest:
        return RunFastest(request, options);
    }
    return absl::OkStatus();
  }

  absl::Status RunHere(const Request& request, const CallOptions& options) {
    Count(parts_->counters.local_slices);
    return parts_->local->Run(request, options);
  }

  absl::Status RunFastest(const Request& request, const CallOptions& options) {
    const SpeedTable::Way way = parts_->speeds.Choose(request);
    const uint64_t fallbacks = parts_->counters.fallback_slices.load(std::memory_order_relaxed);
    const absl::Time start = absl::Now();
    absl::Status status =
        way == SpeedTable::Way::kLocal ? RunHere(request, options) : RunAtServers(request, options);
    if (!status.ok()) return status;
    if (fallbacks == parts_->counters.fallback_slices.load(std::memory_order_relaxed)) {
      parts_->speeds.Add(request, way, absl::Now() - start);
    } else if (way == SpeedTable::Way::kRemote) {
      parts_->speeds.AddFailure(request);
    }
    return status;
  }

  // By slices, each at a server or, if none can and it may be, here.
  absl::Status RunAtServers(const Request& request, CallOptions options) {
    Count(parts_->counters.calls_to_servers);
    if (absl::Status status = CheckRequest(request); !status.ok()) return status;
    options.deadline = DeadlineFor(options);
    const uint64_t limit = parts_->pool->MaxRequestBytes();
    const uint64_t slice_bytes =
        limit == UINT64_MAX ? limit : std::min(limit, parts_->options.slice_bytes);
    return RunSlices(request, slice_bytes, parts_->options.slices_in_flight, *parts_->crew,
                     [&](const Request& slice) { return RunSlice(slice, options); });
  }

  absl::Status RunSlice(const Request& request, const CallOptions& options) {
    const bool may_fall_back = parts_->options.policy != Policy::kRemoteOnly;
    size_t done = 0;
    absl::Status status = parts_->attempts->Run(request, options, may_fall_back, &done);
    if (status.ok()) {
      Count(parts_->counters.remote_slices);
      if (parts_->falls_back.load(std::memory_order_relaxed) &&
          parts_->falls_back.exchange(false)) {
        parts_->options.log("servers compute again");
      }
      return status;
    }
    const bool is_too_large =
        absl::IsResourceExhausted(status) && codec::FieldOf(status).has_value();
    const RequestSlice rest(request, done, request.shard_bytes);
    const auto merged = [&rest](absl::Status ended) {
      if (ended.ok()) rest.MergeReport();
      return ended;
    };
    const uint64_t limit = parts_->pool->MaxRequestBytes();
    if (is_too_large && limit < BytesOf(rest.request()) && rest.request().shard_bytes > 1) {
      return merged(RunSlices(rest.request(), limit, 1, *parts_->crew,
                              [&](const Request& slice) { return RunSlice(slice, options); }));
    }
    if (!may_fall_back || Attempts::IsFinal(status)) return status;
    Count(parts_->counters.fallback_slices);
    if (!parts_->falls_back.exchange(true)) {
      parts_->options.log(absl::StrCat("parity is computed in this process: ", status.message()));
    }
    return merged(parts_->local->Run(rest.request(), options));
  }

  const ForkGuard guard_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> Client::Make(ClientOptions options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  if (!options.log) options.log = WriteLine;
  if (!options.connection.notice) options.connection.notice = options.log;
  auto parts = std::make_unique<Parts>(std::move(options));
  absl::StatusOr<std::unique_ptr<Coder>> local = MakeLocalCoder(parts->options.kernels);
  if (!local.ok()) {
    absl::Status status = local.status();
    codec::AttachField(status, "kernels");
    return status;
  }
  parts->local = *std::move(local);
  if (!parts->options.targets.empty()) {
    absl::StatusOr<std::unique_ptr<Pool>> pool = Pool::Make(parts->options);
    if (!pool.ok()) return pool.status();
    parts->pool = *std::move(pool);
    CrewOptions crew;
    crew.most_threads = kMostHelpers;
    parts->crew = std::make_unique<Crew>(crew);
    parts->attempts =
        std::make_unique<Attempts>(parts->options, *parts->pool, *parts->crew, parts->counters);
  }
  return std::make_unique<PooledClient>(std::move(parts));
}

}  // namespace parity::client
