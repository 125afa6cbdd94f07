#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "parity/client/object.h"
#include "parity/codec/field_error.h"
#include "stripe_columns.h"
#include "stripe_pipeline.h"

namespace parity::client {
namespace {

using Range = StripeColumns::Range;

// The shards of an object, and what is known of them. Thread-safe.
class Shards {
 public:
  explicit Shards(absl::Span<ShardReader* const> readers)
      : readers_(readers), is_gone_(readers.size()) {}

  uint32_t size() const { return static_cast<uint32_t>(readers_.size()); }
  bool IsLost(uint32_t shard) const { return readers_[shard] == nullptr; }
  // Whether it has failed in such a way that it will in other stripes.
  bool IsGone(uint32_t shard) const { return is_gone_[shard].load(std::memory_order_relaxed); }

  absl::Status Read(uint32_t shard, uint64_t offset, absl::Span<uint8_t> out) {
    return readers_[shard]->Read(offset, out);
  }

  void Failed(uint32_t shard, uint64_t stripe, const absl::Status& error) {
    if (!absl::IsDataLoss(error)) is_gone_[shard].store(true, std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto place = failed_.emplace(shard, ObjectRead::FailedShard{shard, stripe, error}).first;
    if (stripe < place->second.stripe) place->second = {shard, stripe, error};
  }

  std::vector<ObjectRead::FailedShard> failed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<ObjectRead::FailedShard> failed;
    for (const auto& [shard, failure] : failed_) failed.push_back(failure);
    return failed;
  }

 private:
  const absl::Span<ShardReader* const> readers_;
  std::vector<std::atomic<bool>> is_gone_;
  std::mutex mutex_;  // of the next
  std::map<uint32_t, ObjectRead::FailedShard> failed_;
};

// What is wanted of one stripe, from its shards.
class StripeReading {
 public:
  StripeReading(Coder& coder, const ObjectLayout& layout, Shards& shards, RunLimits& limits,
                Stripe& stripe, uint64_t number, uint32_t begin, uint32_t end)
      : coder_(coder),
        layout_(layout),
        shards_(shards),
        limits_(limits),
        stripe_(stripe),
        number_(number),
        columns_(shards.size(), stripe.cell_bytes, begin, end),
        has_failed_(shards.size()) {}

  absl::Status Run() {
    if (absl::Status status = ReadWanted(); !status.ok()) return status;
    while (const std::optional<StripeColumns::Lost> lost = columns_.FirstLost()) {
      absl::StatusOr<std::vector<uint32_t>> needed =
          ShardsNeeded(layout_.geometry(), Available(*lost), lost->shards);
      absl::Status status;
      if (needed.ok()) {
        status = Restore(*lost, *needed);
      } else if (!tries_gone_) {
        tries_gone_ = true;
        status = ReadWanted();
      } else {
        status = TooFew(*lost);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  bool MayBeRead(uint32_t shard) const {
    return !shards_.IsLost(shard) && !has_failed_[shard] && (tries_gone_ || !shards_.IsGone(shard));
  }

  absl::Status ReadWanted() {
    for (uint32_t shard = 0; shard < layout_.geometry().data_shards(); ++shard) {
      if (absl::Status status = Read(shard, columns_.WantedAndMissing(shard)); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  // Reads what may be read; an error ends the operation.
  absl::Status Read(uint32_t shard, const std::vector<Range>& ranges) {
    for (const Range range : ranges) {
      if (!MayBeRead(shard)) return absl::OkStatus();
      const uint64_t offset = layout_.shard_offset(number_) + range.begin;
      const absl::Status read =
          shards_.Read(shard, offset,
                       absl::MakeSpan(stripe_.cell(shard) + range.begin, range.end - range.begin));
      if (read.ok()) {
        columns_.Add(shard, range);
        continue;
      }
      // It may have been cancelled itself.
      if (absl::Status status = limits_.Check(); !status.ok()) return status;
      has_failed_[shard] = true;
      shards_.Failed(shard, number_, read);
    }
    return absl::OkStatus();
  }

  std::vector<uint32_t> Available(const StripeColumns::Lost& lost) const {
    std::vector<uint32_t> available;
    for (uint32_t shard = 0; shard < shards_.size(); ++shard) {
      if (std::binary_search(lost.shards.begin(), lost.shards.end(), shard)) continue;
      if (MayBeRead(shard) || columns_.Has(shard, lost.columns)) available.push_back(shard);
    }
    return available;
  }

  // Computes the lost shards, unless one of those needed fails to be read.
  absl::Status Restore(const StripeColumns::Lost& lost, const std::vector<uint32_t>& needed) {
    const Range columns = lost.columns;
    std::vector<ShardBytes> present;
    for (const uint32_t shard : needed) {
      if (absl::Status status = Read(shard, columns_.Missing(shard, columns)); !status.ok()) {
        return status;
      }
      if (!columns_.Has(shard, columns)) return absl::OkStatus();
      present.emplace_back(stripe_.cell(shard) + columns.begin, columns.end - columns.begin);
    }
    std::vector<uint8_t*> out;
    for (const uint32_t shard : lost.shards) out.push_back(stripe_.cell(shard) + columns.begin);
    absl::Status status =
        coder_.Reconstruct(layout_.geometry(), needed, present, columns.end - columns.begin,
                           lost.shards, out, limits_.ForCall());
    if (!status.ok()) return status;
    for (const uint32_t shard : lost.shards) columns_.Add(shard, columns);
    stripe_.reconstructed = true;
    return absl::OkStatus();
  }

  absl::Status TooFew(const StripeColumns::Lost& lost) const {
    std::vector<uint32_t> missing;
    for (uint32_t shard = 0; shard < shards_.size(); ++shard) {
      if (!MayBeRead(shard) && !columns_.Has(shard, lost.columns)) missing.push_back(shard);
    }
    return absl::DataLossError(
        absl::StrCat("stripe ", number_, ": ", missing.size(), " of ", shards_.size(),
                     " shards are lost or fail to be read (", absl::StrJoin(missing, ", "),
                     "), and the others do not determine ", absl::StrJoin(lost.shards, ", ")));
  }

  Coder& coder_;
  const ObjectLayout& layout_;
  Shards& shards_;
  RunLimits& limits_;
  Stripe& stripe_;
  const uint64_t number_;  // in the object
  StripeColumns columns_;
  std::vector<bool> has_failed_;
  bool tries_gone_ = false;
};

class Reading final : public StripeSteps {
 public:
  // Of at least 1 byte.
  Reading(Coder& coder, const ObjectLayout& layout, Shards& shards, uint64_t offset, uint64_t bytes,
          ObjectWriter& object, const ObjectOptions& options, RunLimits& limits, ObjectRead& result)
      : coder_(coder),
        layout_(layout),
        shards_(shards),
        begin_(offset),
        end_(offset + bytes),
        object_(object),
        options_(options),
        limits_(limits),
        result_(result) {}

  uint64_t first_stripe() const { return begin_ / layout_.stripe_data_bytes(); }

  absl::StatusOr<Begun> Begin(Stripe& stripe) override {
    const uint64_t number = first_stripe() + stripe.number;
    stripe.cell_bytes = layout_.cell_bytes(number);
    stripe.reconstructed = false;
    return Stop(number) == end_ ? Begun::kLast : Begun::kMore;
  }

  absl::Status Work(Stripe& stripe) override {
    const uint64_t number = first_stripe() + stripe.number;
    const uint64_t start = layout_.object_offset(number);
    return StripeReading(coder_, layout_, shards_, limits_, stripe, number,
                         static_cast<uint32_t>(Start(number) - start),
                         static_cast<uint32_t>(Stop(number) - start))
        .Run();
  }

  absl::Status End(Stripe& stripe) override {
    const uint64_t number = first_stripe() + stripe.number;
    const size_t bytes = Stop(number) - Start(number);
    const uint8_t* const start =
        stripe.memory.data() + (Start(number) - layout_.object_offset(number));
    if (absl::Status status = object_.Write({start, bytes}); !status.ok()) return status;
    result_.bytes_written += bytes;
    if (stripe.reconstructed) ++result_.reconstructed_stripes;
    if (options_.progress != nullptr) options_.progress(result_.bytes_written, end_ - begin_);
    return absl::OkStatus();
  }

 private:
  // What is wanted of the stripe's data, as a range of the object.
  uint64_t Start(uint64_t number) const { return std::max(begin_, layout_.object_offset(number)); }
  uint64_t Stop(uint64_t number) const {
    return std::min(end_, layout_.object_offset(number) + layout_.data_bytes(number));
  }

  Coder& coder_;
  const ObjectLayout& layout_;
  Shards& shards_;
  const uint64_t begin_;
  const uint64_t end_;
  ObjectWriter& object_;
  const ObjectOptions& options_;
  RunLimits& limits_;
  ObjectRead& result_;
};

absl::Status CheckRange(const ObjectLayout& layout, size_t shards, uint64_t offset,
                        uint64_t bytes) {
  if (shards != layout.geometry().total_shards()) {
    return codec::InvalidField("shards", shards,
                               absl::StrCat(layout.geometry().total_shards(), " readers"));
  }
  const uint64_t most = layout.object_bytes();
  if (offset > most) return codec::InvalidField("offset", offset, absl::StrCat("at most ", most));
  if (bytes > most - offset) {
    return codec::InvalidField("bytes", bytes, absl::StrCat("at most ", most - offset));
  }
  return absl::OkStatus();
}

}  // namespace

ObjectRead ReadObject(Coder& coder, const ObjectLayout& layout,
                      absl::Span<ShardReader* const> shards, uint64_t offset, uint64_t bytes,
                      ObjectWriter& object, const ObjectOptions& options) {
  ObjectRead result;
  result.status = CheckOptions(options);
  result.status.Update(CheckRange(layout, shards.size(), offset, bytes));
  if (!result.status.ok() || bytes == 0) return result;
  Shards known(shards);
  RunLimits limits(options);
  Reading reading(coder, layout, known, offset, bytes, object, options, limits, result);
  const size_t stripe_bytes =
      size_t{layout.cell_bytes(reading.first_stripe())} * layout.geometry().total_shards();
  result.status = RunStripes(reading, stripe_bytes, options, limits);
  result.failed_shards = known.failed();
  return result;
}

}  // namespace parity::client
