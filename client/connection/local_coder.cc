#include "parity/client/local_coder.h"

#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/shard.h"
#include "parity/kernels/dispatch.h"

namespace parity::client {
namespace {

// Shards that need no memory of their own: those of most stripes.
constexpr size_t kUsualShards = 32;

// Caller's shards as the codec takes them: one segment each.
class Shards {
 public:
  explicit Shards(absl::Span<const ShardBytes> shards) {
    segments_.reserve(shards.size());
    shards_.reserve(shards.size());
    for (const ShardBytes shard : shards) {
      segments_.push_back({shard.data(), shard.size()});
      shards_.emplace_back(&segments_.back(), 1);
    }
  }
  absl::Span<const codec::Shard> get() const { return shards_; }

 private:
  absl::InlinedVector<codec::Segment, kUsualShards> segments_;
  absl::InlinedVector<codec::Shard, kUsualShards> shards_;
};

// The thread's own batch, whose vectors have grown to what its calls need: making them anew costs
// more than encoding 4 KiB.
codec::Batch& BatchFor(const kernels::KernelTable& table) {
  thread_local const kernels::KernelTable* batch_table = nullptr;
  thread_local std::optional<codec::Batch> batch;
  if (batch_table != &table) {
    batch.emplace(table);
    batch_table = &table;
  }
  return *batch;
}

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
    const Shards shards(request.shards);
    const absl::Span<const codec::Shard> all = shards.get();
    const std::shared_ptr<const codec::Codec> codec = codecs_.Get(request.geometry);
    codec::Batch& batch = BatchFor(table_);
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
        if (report.ok()) *request.report = *std::move(report);
        return report.status();
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
  const kernels::KernelTable& table_;
  codec::CodecCache codecs_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Coder>> MakeLocalCoder(std::string_view kernels) {
  absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable(kernels);
  if (!table.ok()) return table.status();
  return std::make_unique<LocalCoder>(**table);
}

}  // namespace parity::client
