#include "parity/client/local_coder.h"

#include <vector>

#include "absl/status/status.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec_cache.h"
#include "parity/codec/shard.h"
#include "parity/kernels/dispatch.h"

namespace parity::client {
namespace {

// Caller's shards as the codec takes them: one segment each.
class Shards {
 public:
  explicit Shards(absl::Span<const ShardBytes> shards) {
    segments_.reserve(shards.size());
    shards_.reserve(shards.size());
    for (ShardBytes shard : shards) {
      segments_.push_back({shard.data(), shard.size()});
      shards_.emplace_back(&segments_.back(), 1);
    }
  }
  absl::Span<const codec::Shard> get() const { return shards_; }

 private:
  std::vector<codec::Segment> segments_;
  std::vector<codec::Shard> shards_;
};

class LocalCoder final : public Coder {
 public:
  explicit LocalCoder(const kernels::KernelTable& table) : table_(table) {}

  absl::Status Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                      size_t shard_bytes, absl::Span<uint8_t* const> parity) override {
    const Shards shards(data);
    codec::Batch batch(table_);
    absl::Status status = codecs_.Get(geometry)->Encode(shards.get(), shard_bytes, parity, batch);
    if (status.ok()) batch.Run();
    return status;
  }

  absl::Status Reconstruct(const codec::Geometry& geometry, absl::Span<const uint32_t> present,
                           absl::Span<const ShardBytes> present_shards, size_t shard_bytes,
                           absl::Span<const uint32_t> wanted,
                           absl::Span<uint8_t* const> out) override {
    const Shards shards(present_shards);
    codec::Batch batch(table_);
    absl::Status status =
        codecs_.Get(geometry)->Reconstruct(present, shards.get(), shard_bytes, wanted, out, batch);
    if (status.ok()) batch.Run();
    return status;
  }

  absl::StatusOr<codec::VerifyReport> Verify(const codec::Geometry& geometry,
                                             absl::Span<const ShardBytes> all,
                                             size_t shard_bytes) override {
    const Shards shards(all);
    return codecs_.Get(geometry)->Verify(shards.get(), shard_bytes, table_);
  }

  absl::Status Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                      absl::Span<const ShardBytes> old_shards,
                      absl::Span<const ShardBytes> new_shards, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity) override {
    const Shards before(old_shards);
    const Shards after(new_shards);
    codec::Batch batch(table_);
    absl::Status status = codecs_.Get(geometry)->Update(changed, before.get(), after.get(),
                                                        shard_bytes, parity, batch);
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
