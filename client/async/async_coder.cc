#include "parity/client/async_coder.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "crew.h"
#include "fork_guard.h"

namespace parity::client {
namespace {

std::vector<uint32_t> Copy(absl::Span<const uint32_t> indices) {
  return {indices.begin(), indices.end()};
}
std::vector<ShardBytes> Copy(absl::Span<const ShardBytes> shards) {
  return {shards.begin(), shards.end()};
}
std::vector<uint8_t*> Copy(absl::Span<uint8_t* const> outputs) {
  return {outputs.begin(), outputs.end()};
}

}  // namespace

class AsyncCoder::Calls {
 public:
  Calls(Coder& coder, const AsyncOptions& options)
      : coder_(coder), crew_({options.threads, options.most_queued}) {}

  Coder& coder() const { return coder_; }
  bool IsInherited() const { return guard_.IsInherited(); }

  // `compute` makes what `callback` gets.
  template <class Result>
  void Submit(std::function<Result()> compute, std::function<void(Result)> callback) {
    if (IsInherited()) {
      callback(
          absl::FailedPreconditionError("the process was forked after the AsyncCoder was made"));
      return;
    }
    const uint64_t id =
        Add([compute = std::move(compute), callback = std::move(callback)](
                const absl::Status& fate) { callback(fate.ok() ? compute() : Result(fate)); });
    const absl::Status refusal = crew_.Submit([this, id] { Settle(id, absl::OkStatus()); });
    if (!refusal.ok()) Settle(id, refusal);
  }

  // Ends the calls that wait.
  void Cancel() {
    std::map<uint64_t, Call> waiting;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      waiting.swap(waiting_);
    }
    for (const auto& [id, call] : waiting) {
      call(absl::CancelledError("the AsyncCoder is being destroyed"));
    }
  }

 private:
  // Runs if its fate is OK; in any case its callback is called.
  using Call = std::function<void(const absl::Status& fate)>;

  uint64_t Add(Call call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(next_id_, std::move(call));
    return next_id_++;
  }

  // Nothing if the call is settled already.
  void Settle(uint64_t id, const absl::Status& fate) {
    Call call;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto place = waiting_.find(id);
      if (place == waiting_.end()) return;
      call = std::move(place->second);
      waiting_.erase(place);
    }
    call(fate);
  }

  Coder& coder_;
  const ForkGuard guard_;
  std::mutex mutex_;  // of the next two
  std::map<uint64_t, Call> waiting_;
  uint64_t next_id_ = 0;
  Crew crew_;  // the last: its threads use the others
};

AsyncCoder::AsyncCoder(Coder& coder, const AsyncOptions& options)
    : calls_(std::make_unique<Calls>(coder, options)) {}

AsyncCoder::~AsyncCoder() {
  if (calls_->IsInherited()) {
    static_cast<void>(calls_.release());  // its locks may be held by threads that are not there
  } else {
    calls_->Cancel();
  }
}

void AsyncCoder::EncodeAsync(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                             size_t shard_bytes, absl::Span<uint8_t* const> parity,
                             const CallOptions& options, Callback callback) {
  calls_->Submit<absl::Status>(
      [&coder = calls_->coder(), geometry, data = Copy(data), shard_bytes, parity = Copy(parity),
       options] { return coder.Encode(geometry, data, shard_bytes, parity, options); },
      std::move(callback));
}

void AsyncCoder::ReconstructAsync(const codec::Geometry& geometry,
                                  absl::Span<const uint32_t> present,
                                  absl::Span<const ShardBytes> shards, size_t shard_bytes,
                                  absl::Span<const uint32_t> wanted, absl::Span<uint8_t* const> out,
                                  const CallOptions& options, Callback callback) {
  calls_->Submit<absl::Status>(
      [&coder = calls_->coder(), geometry, present = Copy(present), shards = Copy(shards),
       shard_bytes, wanted = Copy(wanted), out = Copy(out), options] {
        return coder.Reconstruct(geometry, present, shards, shard_bytes, wanted, out, options);
      },
      std::move(callback));
}

void AsyncCoder::VerifyAsync(const codec::Geometry& geometry, absl::Span<const ShardBytes> shards,
                             size_t shard_bytes, const CallOptions& options,
                             VerifyCallback callback) {
  calls_->Submit<absl::StatusOr<codec::VerifyReport>>(
      [&coder = calls_->coder(), geometry, shards = Copy(shards), shard_bytes, options] {
        return coder.Verify(geometry, shards, shard_bytes, options);
      },
      std::move(callback));
}

void AsyncCoder::UpdateAsync(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                             absl::Span<const ShardBytes> old_shards,
                             absl::Span<const ShardBytes> new_shards, size_t shard_bytes,
                             absl::Span<uint8_t* const> parity, const CallOptions& options,
                             Callback callback) {
  calls_->Submit<absl::Status>(
      [&coder = calls_->coder(), geometry, changed = Copy(changed), old_shards = Copy(old_shards),
       new_shards = Copy(new_shards), shard_bytes, parity = Copy(parity), options] {
        return coder.Update(geometry, changed, old_shards, new_shards, shard_bytes, parity,
                            options);
      },
      std::move(callback));
}

}  // namespace parity::client
