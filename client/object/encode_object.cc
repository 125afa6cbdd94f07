#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "parity/client/object.h"
#include "parity/codec/field_error.h"
#include "stripe_pipeline.h"

namespace parity::client {
namespace {

class Encoding final : public StripeSteps {
 public:
  Encoding(Coder& coder, const ObjectLayout& layout, ObjectReader& object,
           absl::Span<ShardWriter* const> shards, const ObjectOptions& options, RunLimits& limits)
      : coder_(coder),
        layout_(layout),
        object_(object),
        shards_(shards),
        options_(options),
        limits_(limits) {}

  absl::StatusOr<Begun> Begin(Stripe& stripe) override {
    uint64_t wanted = layout_.stripe_data_bytes();
    if (options_.object_bytes.has_value())
      wanted = std::min(wanted, *options_.object_bytes - read_);
    if (wanted == 0) return Begun::kNone;
    const absl::StatusOr<size_t> got =
        object_.Read(absl::MakeSpan(stripe.memory.data(), static_cast<size_t>(wanted)));
    if (!got.ok()) return got.status();
    if (*got > wanted) {
      return absl::InternalError(
          absl::StrCat("the object's reader returned ", *got, " bytes of ", wanted));
    }
    read_ += *got;
    if (read_ > kMaxObjectBytes) {
      return codec::InvalidField("object", "more", absl::StrCat("at most ", kMaxObjectBytes));
    }
    if (options_.object_bytes.has_value() && *got < wanted) {
      return absl::AbortedError(
          absl::StrCat("the object ends after ", read_, " of ", *options_.object_bytes, " bytes"));
    }
    const bool is_last = *got < wanted || read_ == options_.object_bytes;
    if (is_last) total_ = read_;
    if (*got == 0) return Begun::kNone;
    const uint32_t k = layout_.geometry().data_shards();
    stripe.data_bytes = static_cast<uint32_t>(*got);
    stripe.cell_bytes = (stripe.data_bytes + k - 1) / k;
    return is_last ? Begun::kLast : Begun::kMore;
  }

  absl::Status Work(Stripe& stripe) override {
    const codec::Geometry& geometry = layout_.geometry();
    const uint32_t k = geometry.data_shards();
    const size_t cells_bytes = size_t{stripe.cell_bytes} * k;
    std::memset(stripe.memory.data() + stripe.data_bytes, 0, cells_bytes - stripe.data_bytes);
    std::vector<ShardBytes> data;
    for (uint32_t shard = 0; shard < k; ++shard) {
      data.emplace_back(stripe.cell(shard), stripe.cell_bytes);
    }
    std::vector<uint8_t*> parity;
    for (uint32_t shard = k; shard < geometry.total_shards(); ++shard) {
      parity.push_back(stripe.cell(shard));
    }
    if (absl::Status status =
            coder_.Encode(geometry, data, stripe.cell_bytes, parity, limits_.ForCall());
        !status.ok()) {
      return status;
    }
    const uint64_t offset = layout_.shard_offset(stripe.number);
    for (uint32_t shard = 0; shard < geometry.total_shards(); ++shard) {
      if (shards_[shard] == nullptr) continue;
      const ShardBytes cell(stripe.cell(shard), stripe.cell_bytes);
      if (absl::Status status = shards_[shard]->Write(offset, cell); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status End(Stripe& stripe) override {
    done_ += stripe.data_bytes;
    if (options_.progress != nullptr) {
      options_.progress(done_, total_.has_value() ? total_ : options_.object_bytes);
    }
    return absl::OkStatus();
  }

  uint64_t object_bytes() const { return read_; }

 private:
  Coder& coder_;
  const ObjectLayout& layout_;  // of an object of any size
  ObjectReader& object_;
  const absl::Span<ShardWriter* const> shards_;
  const ObjectOptions& options_;
  RunLimits& limits_;
  uint64_t read_ = 0;
  uint64_t done_ = 0;
  std::optional<uint64_t> total_;
};

}  // namespace

absl::StatusOr<ObjectLayout> EncodeObject(Coder& coder, const codec::Geometry& geometry,
                                          ObjectReader& object,
                                          absl::Span<ShardWriter* const> shards,
                                          const ObjectOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  if (shards.size() != geometry.total_shards()) {
    return codec::InvalidField("shards", shards.size(),
                               absl::StrCat(geometry.total_shards(), " writers"));
  }
  const uint32_t cell_bytes =
      options.cell_bytes == 0 ? DefaultCellBytes(geometry) : options.cell_bytes;
  const absl::StatusOr<ObjectLayout> layout =
      ObjectLayout::Make(geometry, cell_bytes, options.object_bytes.value_or(0));
  if (!layout.ok()) return layout.status();
  // The first is the stripe that takes the most.
  const uint32_t most_cell_bytes =
      options.object_bytes.value_or(0) == 0 ? cell_bytes : layout->cell_bytes(uint64_t{0});
  RunLimits limits(options);
  Encoding encoding(coder, *layout, object, shards, options, limits);
  const size_t stripe_bytes = size_t{most_cell_bytes} * geometry.total_shards();
  if (absl::Status status = RunStripes(encoding, stripe_bytes, options, limits); !status.ok()) {
    return status;
  }
  return ObjectLayout::Make(geometry, cell_bytes, encoding.object_bytes());
}

}  // namespace parity::client
