#include "parity/client/local_coder.h"

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/shard.h"
#include "parity/kernels/dispatch.h"

namespace parity::client {
namespace {

// What a thread keeps from one call to the next: made anew, it would take longer than encoding
// 4 KiB.
struct Workspace {
  // Of the last call.
  uint64_t coder = 0;
  std::shared_ptr<const codec::Codec> codec;
  std::optional<codec::Batch> batch;
  // A caller's shards as the codec takes them: where they start, or one segment each.
  std::vector<const uint8_t*> starts;
  std::vector<codec::Segment> segments;
  std::vector<codec::Shard> shards;
};

class LocalCoder final : public Coder {
 public:
  explicit LocalCoder(const kernels::KernelTable& table) : table_(table) {}

  absl::Status Run(const Request& request, const CallOptions& options) override {
    if (options.cancellation != nullptr && options.cancellation->is_cancelled()) {
      return absl::CancelledError("cancelled");
    }
    if (options.deadline != absl::InfiniteFuture() && absl::Now() >= options.deadline) {
      return absl::DeadlineExceededError("the deadline has passed");
    }
    Workspace& work = GetWorkspace(request.geometry);
    if (request.operation == Operation::kEncode && TryEncode(request, work)) {
      return absl::OkStatus();
    }
    SetShards(request.shards, work);
    const absl::Span<const codec::Shard> all = work.shards;
    const codec::Codec* const codec = work.codec.get();
    codec::Batch& batch = *work.batch;
    absl::Status status;
    switch (request.operation) {
      case Operation::kEncode:
        status = codec->Encode(all, request.shard_bytes, request.outputs, batch);
        break;
      case Operation::kReconstruct:
        status = codec->Reconstruct(request.indices, all, request.shard_bytes, request.wanted,
                                    request.outputs, batch);
        break;
      case Operation::kVerify: {
        absl::StatusOr<codec::VerifyReport> report =
            codec->Verify(all, request.shard_bytes, table_);
        if (!report.ok()) return report.status();
        *request.report = *std::move(report);
        return absl::OkStatus();
      }
      case Operation::kUpdate: {
        const size_t changed = request.indices.size();
        status = codec->Update(request.indices, all.first(changed), all.subspan(changed),
                               request.shard_bytes, request.outputs, batch);
        break;
      }
    }
    if (status.ok()) batch.Run();
    return status;
  }

 private:
  Workspace& GetWorkspace(const codec::Geometry& geometry) {
    thread_local Workspace work;
    if (work.coder != id_) {
      work.coder = id_;
      work.codec = nullptr;
      work.batch.emplace(table_);
    }
    if (work.codec == nullptr || work.codec->geometry() != geometry) {
      work.codec = codecs_.Get(geometry);
    }
    return work;
  }

  // The usual case, in which little has to be looked at.
  bool TryEncode(const Request& request, Workspace& work) const {
    work.starts.clear();
    for (const ShardBytes shard : request.shards) {
      if (shard.size() != request.shard_bytes) return false;
      work.starts.push_back(shard.data());
    }
    return work.codec->TryEncode(work.starts, request.shard_bytes, request.outputs, table_);
  }

  // Word by word: a struct that is put together on the stack and copied whole has to wait for its
  // words, which took 20 ns for 4 shards.
  static void SetShards(absl::Span<const ShardBytes> shards, Workspace& work) {
    work.segments.resize(shards.size());
    work.shards.resize(shards.size());
    for (size_t i = 0; i < shards.size(); ++i) {
      work.segments[i].data = shards[i].data();
      work.segments[i].bytes = shards[i].size();
      work.shards[i] = codec::Shard(&work.segments[i], 1);
    }
  }

  static std::atomic<uint64_t> coders;

  const kernels::KernelTable& table_;
  const uint64_t id_ = ++coders;  // never that of another, also when this one is gone
  codec::CodecCache codecs_;
};

std::atomic<uint64_t> LocalCoder::coders{0};

}  // namespace

absl::StatusOr<std::unique_ptr<Coder>> MakeLocalCoder(std::string_view kernels) {
  absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable(kernels);
  if (!table.ok()) return table.status();
  return std::make_unique<LocalCoder>(**table);
}

}  // namespace parity::client
