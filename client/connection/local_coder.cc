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
  // A caller's shards as the codec takes them: one segment each.
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
    Workspace& work = PrepareWorkspace(request);
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
  Workspace& PrepareWorkspace(const Request& request) {
    thread_local Workspace work;
    if (work.coder != id_) {
      work.coder = id_;
      work.codec = nullptr;
      work.batch.emplace(table_);
    }
    if (work.codec == nullptr || work.codec->geometry() != request.geometry) {
      work.codec = codecs_.Get(request.geometry);
    }
    // Word by word: a struct that is put together on the stack and copied whole has to wait for its
    // words, which took 20 ns for 4 shards.
    const size_t count = request.shards.size();
    work.segments.resize(count);
    work.shards.resize(count);
    for (size_t i = 0; i < count; ++i) {
      work.segments[i].data = request.shards[i].data();
      work.segments[i].bytes = request.shards[i].size();
      work.shards[i] = codec::Shard(&work.segments[i], 1);
    }
    return work;
  }

  static std::atomic<uint64_t> coders_;

  const kernels::KernelTable& table_;
  const uint64_t id_ = ++coders_;  // never that of another, also when this one is gone
  codec::CodecCache codecs_;
};

std::atomic<uint64_t> LocalCoder::coders_{0};

}  // namespace

absl::StatusOr<std::unique_ptr<Coder>> MakeLocalCoder(std::string_view kernels) {
  absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable(kernels);
  if (!table.ok()) return table.status();
  return std::make_unique<LocalCoder>(**table);
}

}  // namespace parity::client
