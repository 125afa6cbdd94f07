#include "parity/engine/stripe_job.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/field_error.h"

namespace parity::engine {
namespace {

using codec::Segment;
using codec::Shard;

// Source bytes of a slice. It takes some 50 us to compute, and stays in the L2 cache meanwhile.
constexpr uint64_t kSliceBytes = 1 << 20;

// The same where the outputs go to the caller's memory, which the server does not read again: long
// enough that the kernels write past the caches (kernels::Tuning), which is 25 % faster at 1 MiB
// shards on 2 Emerald Rapids cores.
constexpr uint64_t kInPlaceSliceBytes = 2 << 20;

// The same where checksums are wanted: the bytes are read twice, first for the checksums, and must
// still be near for the kernels.
constexpr uint64_t kChecksummedSliceBytes = 256 << 10;

// Slices start on a page of the answer.
constexpr size_t kColumnsStep = 4096;

uint64_t SliceBytes(const StripeTask& task) {
  if (!task.checksums.empty()) return kChecksummedSliceBytes;
  return task.outputs.empty() ? kSliceBytes : kInPlaceSliceBytes;
}

uint32_t ComputedPerStripe(const codec::Geometry& geometry, const StripeTask& task) {
  switch (task.operation) {
    case Operation::kEncode:
    case Operation::kUpdate:
      return geometry.parity_shards();
    case Operation::kReconstruct:
      return static_cast<uint32_t>(task.wanted.size());
    case Operation::kVerify:
      return 0;
  }
  return 0;
}

// What the task should bring for every stripe. An error if nothing can be right.
absl::StatusOr<uint32_t> ShardsPerStripe(const codec::Geometry& geometry, const StripeTask& task) {
  const auto indices = static_cast<uint32_t>(task.indices.size());
  switch (task.operation) {
    case Operation::kEncode:
      return geometry.data_shards();
    case Operation::kVerify:
      return geometry.total_shards();
    case Operation::kReconstruct:
      if (indices == 0) {
        return codec::InvalidField("present", "none", "the index of each shard");
      }
      if (task.wanted.empty()) {
        return codec::InvalidField("wanted", "none, and every shard is present",
                                   "a shard to compute");
      }
      return indices;
    case Operation::kUpdate:
      if (indices == 0) {
        return codec::InvalidField("changed", "none", "the data shards that have changed");
      }
      return 2 * indices + geometry.parity_shards();
  }
  return absl::InternalError("no such operation");
}

// Appends bytes [begin, end) of a shard; fewer if it ends before.
void Cut(Shard shard, size_t begin, size_t end, std::vector<Segment>& to) {
  size_t at = 0;
  for (const Segment& segment : shard) {
    if (at >= end) return;
    const size_t first = std::max(at, begin);
    const size_t last = std::min(at + segment.bytes, end);
    if (first < last) to.push_back({segment.data + (first - at), last - first});
    at += segment.bytes;
  }
}

// Bytes [begin, end) of some shards.
class CutShards {
 public:
  CutShards(absl::Span<const Shard> shards, size_t begin, size_t end) {
    std::vector<size_t> ends;
    for (const Shard& shard : shards) {
      Cut(shard, begin, end, segments_);
      ends.push_back(segments_.size());
    }
    size_t first = 0;
    for (const size_t last : ends) {
      shards_.emplace_back(segments_.data() + first, last - first);
      first = last;
    }
  }
  absl::Span<const Shard> get() const { return shards_; }

 private:
  std::vector<Segment> segments_;
  std::vector<Shard> shards_;
};

}  // namespace

absl::StatusOr<StripeJob> StripeJob::Make(std::shared_ptr<const codec::Codec> codec,
                                          const StripeTask& task) {
  const codec::Geometry& geometry = codec->geometry();
  const absl::StatusOr<uint32_t> per_stripe = ShardsPerStripe(geometry, task);
  if (!per_stripe.ok()) return per_stripe.status();
  const size_t wanted = size_t{*per_stripe} * task.stripes;
  if (task.shards.size() != wanted) {
    const std::string of = task.stripes == 1 ? ""
                                             : absl::StrCat(": ", *per_stripe, " for each of ",
                                                            task.stripes, " stripes");
    return codec::InvalidField("shards", absl::StrCat(task.shards.size(), " shards"),
                               absl::StrCat(wanted, of));
  }
  const uint32_t computed = ComputedPerStripe(geometry, task);
  if (!task.outputs.empty() && task.outputs.size() != size_t{computed} * task.stripes) {
    return codec::InvalidField("outputs", task.outputs.size(),
                               absl::StrCat(size_t{computed} * task.stripes));
  }
  return StripeJob(std::move(codec), task, *per_stripe, computed);
}

StripeJob::StripeJob(std::shared_ptr<const codec::Codec> codec, const StripeTask& task,
                     uint32_t shards_per_stripe, uint32_t computed_per_stripe)
    : codec_(std::move(codec)),
      task_(task),
      shards_per_stripe_(shards_per_stripe),
      computed_per_stripe_(computed_per_stripe) {
  const uint64_t most = SliceBytes(task);
  const uint64_t columns = most / shards_per_stripe;
  if (columns >= task.shard_bytes) {
    columns_ = task.shard_bytes;
    stripes_per_slice_ = static_cast<uint32_t>(
        std::min<uint64_t>(columns / std::max<size_t>(task.shard_bytes, 1), task.stripes));
    slices_ = (task.stripes + stripes_per_slice_ - 1) / stripes_per_slice_;
  } else {
    columns_ = std::max<uint64_t>(columns / kColumnsStep * kColumnsStep, kColumnsStep);
    stripes_per_slice_ = 1;
    slices_ = (task.shard_bytes + columns_ - 1) / columns_ * task.stripes;
  }
  computed_.shard_bytes = task.shard_bytes;
  computed_.count = computed_per_stripe * task.stripes;
  if (!task.checksums.empty()) {
    sums_.assign(task.shards.size(), 0);
    computed_.checksums.assign(computed_.count, 0);
  }
}

uint64_t StripeJob::source_bytes() const { return task_.shards.size() * task_.shard_bytes; }
uint64_t StripeJob::computed_bytes() const { return task_.outputs.empty() ? result_bytes() : 0; }
uint64_t StripeJob::slice_bytes() const {
  return columns_ * shards_per_stripe_ * stripes_per_slice_;
}

absl::Status StripeJob::Allocate(BufferPool& pool) {
  if (computed_.count == 0 || !task_.outputs.empty()) return absl::OkStatus();
  computed_.buffer = pool.Get(computed_bytes());
  if (computed_.buffer.data() != nullptr) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("no memory for ", computed_.count, " shards of ", task_.shard_bytes, " bytes"));
}

StripeJob::Part StripeJob::PartOf(size_t slice) const {
  if (columns_ == task_.shard_bytes) {
    const auto first = static_cast<uint32_t>(slice * stripes_per_slice_);
    return {first, std::min(first + stripes_per_slice_, task_.stripes), 0, columns_};
  }
  const size_t slices_per_stripe = slices_ / task_.stripes;
  const auto stripe = static_cast<uint32_t>(slice / slices_per_stripe);
  const size_t begin = slice % slices_per_stripe * columns_;
  return {stripe, stripe + 1, begin, std::min(begin + columns_, task_.shard_bytes)};
}

absl::Status StripeJob::Plan(size_t slice, codec::Batch& batch, const kernels::KernelTable& table) {
  const Part part = PartOf(slice);
  for (uint32_t stripe = part.first; stripe < part.last; ++stripe) {
    const absl::Span<const Shard> shards =
        task_.shards.subspan(size_t{stripe} * shards_per_stripe_, shards_per_stripe_);
    absl::Status status;
    if (part.end - part.begin == task_.shard_bytes) {
      status = PlanStripe(stripe, shards, part, batch, table);
    } else {
      const CutShards cut(shards, part.begin, part.end);
      status = PlanStripe(stripe, cut.get(), part, batch, table);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status StripeJob::PlanStripe(uint32_t stripe, absl::Span<const Shard> shards,
                                   const Part& part, codec::Batch& batch,
                                   const kernels::KernelTable& table) {
  if (!task_.checksums.empty()) SumShards(stripe, shards);
  const size_t bytes = part.end - part.begin;
  absl::InlinedVector<uint8_t*, 16> out;
  for (uint32_t i = 0; i < computed_per_stripe_; ++i) {
    out.push_back(OutputOf(size_t{stripe} * computed_per_stripe_ + i) + part.begin);
  }
  const size_t changed = task_.indices.size();
  switch (task_.operation) {
    case Operation::kEncode:
      return codec_->Encode(shards, bytes, out, batch);
    case Operation::kReconstruct:
      return codec_->Reconstruct(task_.indices, shards, bytes, task_.wanted, out, batch);
    case Operation::kUpdate:
      CopyParity(shards.subspan(2 * changed), bytes, out);
      return codec_->Update(task_.indices, shards.first(changed), shards.subspan(changed, changed),
                            bytes, out, batch);
    case Operation::kVerify:
      return VerifyStripe(stripe, shards, part, table);
  }
  return absl::InternalError("no such operation");
}

absl::Status StripeJob::VerifyStripe(uint32_t stripe, absl::Span<const Shard> shards,
                                     const Part& part, const kernels::KernelTable& table) {
  absl::StatusOr<codec::VerifyReport> found = codec_->Verify(shards, part.end - part.begin, table);
  if (!found.ok()) return found.status();
  // Slices come in their order: what an earlier one found is at a lower offset.
  if (report_.mismatches.empty()) report_.suspect = found->suspect;
  std::vector<Mismatch>& mismatches = report_.mismatches;
  const auto first_of_stripe =
      std::find_if(mismatches.rbegin(), mismatches.rend(), [stripe](const Mismatch& earlier) {
        return earlier.stripe != stripe;
      }).base();
  const std::vector<Mismatch> of_stripe(first_of_stripe, mismatches.end());
  for (const auto& mismatch : found->mismatches) {
    const bool known = std::any_of(
        of_stripe.begin(), of_stripe.end(),
        [&mismatch](const Mismatch& earlier) { return earlier.at.shard == mismatch.shard; });
    if (known) continue;
    if (mismatches.size() == StripeReport::kMaxMismatches) {
      report_.more = true;
      break;
    }
    mismatches.push_back({stripe, {mismatch.shard, part.begin + mismatch.offset}});
  }
  return absl::OkStatus();
}

uint8_t* StripeJob::OutputOf(size_t shard) const {
  return task_.outputs.empty() ? computed_.buffer.data() + shard * task_.shard_bytes
                               : task_.outputs[shard];
}

void StripeJob::CopyParity(absl::Span<const Shard> parity, size_t bytes,
                           absl::Span<uint8_t* const> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    size_t at = 0;
    for (const Segment& segment : parity[i]) {
      if (segment.data != to[i] + at) std::memcpy(to[i] + at, segment.data, segment.bytes);
      at += segment.bytes;
    }
    std::memset(to[i] + at, 0, bytes - at);
  }
}

void StripeJob::SumShards(uint32_t stripe, absl::Span<const Shard> shards) {
  uint32_t* sum = &sums_[size_t{stripe} * shards_per_stripe_];
  for (const Shard& shard : shards) {
    for (const Segment& segment : shard) {
      *sum = checksum::Crc32c({segment.data, segment.bytes}, *sum);
    }
    ++sum;
  }
}

void StripeJob::AfterRun(size_t slice) {
  if (computed_.checksums.empty()) return;
  const Part part = PartOf(slice);
  for (size_t i = size_t{part.first} * computed_per_stripe_;
       i < size_t{part.last} * computed_per_stripe_; ++i) {
    const uint8_t* shard = OutputOf(i);
    computed_.checksums[i] =
        checksum::Crc32c({shard + part.begin, part.end - part.begin}, computed_.checksums[i]);
  }
}

absl::Status StripeJob::Check() const {
  for (size_t i = 0; i < sums_.size(); ++i) {
    if (sums_[i] != task_.checksums[i]) {
      return codec::FieldError(absl::StatusCode::kDataLoss, absl::StrCat("shards[", i, "]"),
                               absl::StrCat("CRC32C 0x", absl::Hex(sums_[i], absl::kZeroPad8)),
                               absl::StrCat("0x", absl::Hex(task_.checksums[i], absl::kZeroPad8)));
    }
  }
  return absl::OkStatus();
}

}  // namespace parity::engine
