#include "stripe_caller.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "parity/client/local_coder.h"
#include "unit_interval.h"

namespace parity::load {
namespace {

using client::Operation;

constexpr size_t kPageBytes = 4096;
// Shards that are not aligned begin so many bytes into a page, at most.
constexpr size_t kMaxShift = 63;
// Patterns of loss that take turns: servers keep the solutions of more (codec.h).
constexpr int kLosses = 16;

size_t LongestOf(const SizeMix& mix) {
  size_t longest = 0;
  for (const Weighted<size_t>& each : mix) longest = std::max(longest, each.value);
  return longest;
}

std::string Describe(const codec::VerifyReport& report) {
  if (report.consistent()) return "consistent";
  std::string text;
  for (const codec::VerifyReport::Mismatch& each : report.mismatches) {
    absl::StrAppend(&text, "shard ", each.shard, " from ", each.offset, ", ");
  }
  return report.suspect ? absl::StrCat(text, "suspect ", *report.suspect)
                        : absl::StrCat(text, "no suspect");
}

}  // namespace

std::string Mismatch::ToString() const {
  return absl::StrCat(client::NameOf(operation), ", shards of ", shard_bytes, " bytes: shard ",
                      shard, ", offset ", offset, ": ", what);
}

StripeCaller::StripeCaller(const codec::Geometry& geometry, const WorkOptions& options,
                           uint64_t seed)
    : geometry_(geometry),
      options_(options),
      operations_(options.operations),
      sizes_(options.shard_bytes),
      random_(seed) {}

absl::StatusOr<std::unique_ptr<StripeCaller>> StripeCaller::Make(const codec::Geometry& geometry,
                                                                 const WorkOptions& options,
                                                                 uint64_t seed) {
  std::unique_ptr<StripeCaller> caller(new StripeCaller(geometry, options, seed));
  absl::StatusOr<std::unique_ptr<client::Coder>> local = client::MakeLocalCoder();
  if (!local.ok()) return local.status();
  caller->local_ = *std::move(local);
  absl::Status status = caller->MakeStripes();
  if (status.ok()) status = caller->MakeLosses();
  if (!status.ok()) return status;
  return caller;
}

absl::Status StripeCaller::MakeStripes() {
  const size_t shard_bytes = LongestOf(options_.shard_bytes);
  // An output in shared memory is written where it lies if it has its pages to itself.
  const size_t room = shard_bytes + (options_.unaligned ? kMaxShift : 0);
  const size_t stride = (room + kPageBytes - 1) / kPageBytes * kPageBytes;
  const size_t shards = stripes_.size() * geometry_.total_shards() + geometry_.parity_shards();
  absl::StatusOr<client::Buffer> buffer = options_.allocate
                                              ? options_.allocate(shards * stride)
                                              : client::AllocateBuffer(shards * stride);
  if (!buffer.ok()) return buffer.status();
  buffer_ = *std::move(buffer);
  std::generate_n(buffer_.data(), shards * stride, [this, word = uint64_t{0}, left = 0]() mutable {
    if (left == 0) {
      word = random_();
      left = 8;
    }
    return static_cast<uint8_t>(word >> (8 * --left));
  });
  size_t placed = 0;
  const auto place = [this, stride, &placed] {
    const size_t shift = options_.unaligned ? (2 * placed + 1) % (kMaxShift + 1) : 0;
    return buffer_.data() + stride * placed++ + shift;
  };
  for (size_t i = 0; i < geometry_.parity_shards(); ++i) output_shards_.push_back(place());
  shard_bytes_ = shard_bytes;
  for (Stripe& stripe : stripes_) {
    for (size_t i = 0; i < geometry_.total_shards(); ++i) stripe.push_back(place());
    shards_.clear();
    for (uint32_t i = 0; i < geometry_.data_shards(); ++i) shards_.push_back(ShardOf(stripe, i));
    const absl::Span<uint8_t* const> parity =
        absl::MakeConstSpan(stripe).subspan(geometry_.data_shards());
    absl::Status status = local_->Encode(geometry_, shards_, shard_bytes, parity);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status StripeCaller::MakeLosses() {
  const bool reconstructs = std::any_of(
      options_.operations.begin(), options_.operations.end(),
      [](const Weighted<Operation>& each) { return each.value == Operation::kReconstruct; });
  if (!reconstructs) return absl::OkStatus();
  std::vector<uint32_t> shards(geometry_.total_shards());
  for (int i = 0; i < kLosses; ++i) {
    std::iota(shards.begin(), shards.end(), 0);
    for (uint32_t lost = 0; lost < options_.lost_shards; ++lost) {
      std::swap(shards[lost], shards[lost + random_() % (shards.size() - lost)]);
    }
    Loss loss;
    loss.wanted.assign(shards.begin(), shards.begin() + options_.lost_shards);
    const absl::StatusOr<std::vector<uint32_t>> present = client::ShardsNeeded(
        geometry_, absl::MakeConstSpan(shards).subspan(options_.lost_shards), loss.wanted);
    if (!present.ok()) return present.status();
    loss.present = *present;
    losses_.push_back(std::move(loss));
  }
  return absl::OkStatus();
}

client::ShardBytes StripeCaller::ShardOf(const Stripe& stripe, uint32_t shard) const {
  return {stripe[shard], shard_bytes_};
}

void StripeCaller::Prepare() {
  if (damaged_ != nullptr) *std::exchange(damaged_, nullptr) ^= 1;
  operation_ = operations_.At(UnitInterval(random_));
  shard_bytes_ = sizes_.At(UnitInterval(random_));
  stripe_ = 1 - stripe_;
  shards_.clear();
  outputs_.clear();
  const Stripe& stripe = stripes_[stripe_];
  switch (operation_) {
    case Operation::kEncode:
      for (uint32_t i = 0; i < geometry_.data_shards(); ++i) shards_.push_back(ShardOf(stripe, i));
      outputs_ = output_shards_;
      break;
    case Operation::kReconstruct:
      PrepareReconstruct();
      break;
    case Operation::kVerify:
      for (uint32_t i = 0; i < geometry_.total_shards(); ++i) shards_.push_back(ShardOf(stripe, i));
      report_ = {};
      if (options_.check && random_() % 2 == 0) Damage();
      return;
    case Operation::kUpdate:
      PrepareUpdate();
      return;
  }
  if (!options_.check) return;
  ++poison_;
  for (uint8_t* output : outputs_) std::memset(output, poison_, shard_bytes_);
}

void StripeCaller::PrepareReconstruct() {
  loss_ = &losses_[random_() % losses_.size()];
  for (const uint32_t shard : loss_->present) shards_.push_back(ShardOf(stripes_[stripe_], shard));
  outputs_.assign(output_shards_.begin(), output_shards_.begin() + options_.lost_shards);
}

// A data shard gets the contents of that of the other stripe. Where nobody checks, the parity
// before may be any.
void StripeCaller::PrepareUpdate() {
  changed_ = static_cast<uint32_t>(random_() % geometry_.data_shards());
  shards_ = {ShardOf(stripes_[stripe_], changed_), ShardOf(stripes_[1 - stripe_], changed_)};
  outputs_ = output_shards_;
  if (!options_.check) return;
  for (uint32_t i = 0; i < geometry_.parity_shards(); ++i) {
    std::memcpy(outputs_[i], stripes_[stripe_][geometry_.data_shards() + i], shard_bytes_);
  }
}

void StripeCaller::Damage() {
  uint8_t* const shard = stripes_[stripe_][random_() % geometry_.total_shards()];
  damaged_ = shard + random_() % shard_bytes_;
  *damaged_ ^= 1;
}

absl::Status StripeCaller::Run(client::Coder& coder, const client::CallOptions& options) {
  client::Request request{operation_, geometry_};
  request.shards = shards_;
  request.shard_bytes = shard_bytes_;
  request.outputs = outputs_;
  if (operation_ == Operation::kReconstruct) {
    request.indices = loss_->present;
    request.wanted = loss_->wanted;
  } else if (operation_ == Operation::kUpdate) {
    request.indices = absl::MakeConstSpan(&changed_, 1);
  } else if (operation_ == Operation::kVerify) {
    request.report = &report_;
  }
  return coder.Run(request, options);
}

uint64_t StripeCaller::data_bytes() const {
  return uint64_t{shard_bytes_} * (operation_ == Operation::kUpdate ? 1 : geometry_.data_shards());
}

std::optional<Mismatch> StripeCaller::Check() {
  const Stripe& stripe = stripes_[stripe_];
  switch (operation_) {
    case Operation::kEncode:
    case Operation::kReconstruct:
      for (size_t i = 0; i < outputs_.size(); ++i) {
        const uint32_t shard = operation_ == Operation::kEncode
                                   ? geometry_.data_shards() + static_cast<uint32_t>(i)
                                   : loss_->wanted[i];
        std::optional<Mismatch> mismatch = CheckOutput(i, shard, stripe[shard]);
        if (mismatch) return mismatch;
      }
      return std::nullopt;
    case Operation::kVerify:
      return CheckReport();
    case Operation::kUpdate:
      return CheckUpdate();
  }
  return std::nullopt;
}

std::optional<Mismatch> StripeCaller::CheckOutput(size_t output, uint32_t shard,
                                                  const uint8_t* expected) {
  const uint8_t* const got = outputs_[output];
  if (std::memcmp(got, expected, shard_bytes_) == 0) return std::nullopt;
  const size_t offset = std::mismatch(got, got + shard_bytes_, expected).first - got;
  return MismatchAt(shard, offset,
                    absl::StrFormat("got 0x%02x, want 0x%02x", got[offset], expected[offset]));
}

std::optional<Mismatch> StripeCaller::CheckReport() {
  const absl::StatusOr<codec::VerifyReport> expected =
      local_->Verify(geometry_, shards_, shard_bytes_);
  const std::string want = expected.ok() ? Describe(*expected) : expected.status().ToString();
  const std::string got = Describe(report_);
  if (got == want) return std::nullopt;
  const codec::VerifyReport& differs =
      expected.ok() && !expected->consistent() ? *expected : report_;
  const bool has_place = !differs.consistent();
  return MismatchAt(has_place ? differs.mismatches.front().shard : geometry_.data_shards(),
                    has_place ? differs.mismatches.front().offset : 0,
                    absl::StrCat("got ", got, "; want ", want));
}

// By encoding anew: another way than that of the call.
std::optional<Mismatch> StripeCaller::CheckUpdate() {
  std::vector<client::ShardBytes> data;
  for (uint32_t i = 0; i < geometry_.data_shards(); ++i) {
    data.push_back(ShardOf(stripes_[i == changed_ ? 1 - stripe_ : stripe_], i));
  }
  std::vector<std::vector<uint8_t>> expected(geometry_.parity_shards(),
                                             std::vector<uint8_t>(shard_bytes_));
  std::vector<uint8_t*> parity;
  for (std::vector<uint8_t>& shard : expected) parity.push_back(shard.data());
  const absl::Status status = local_->Encode(geometry_, data, shard_bytes_, parity);
  if (!status.ok()) return MismatchAt(geometry_.data_shards(), 0, status.ToString());
  for (uint32_t i = 0; i < geometry_.parity_shards(); ++i) {
    std::optional<Mismatch> mismatch =
        CheckOutput(i, geometry_.data_shards() + i, expected[i].data());
    if (mismatch) return mismatch;
  }
  return std::nullopt;
}

Mismatch StripeCaller::MismatchAt(uint32_t shard, uint64_t offset, std::string what) const {
  return {operation_, shard_bytes_, shard, offset, std::move(what)};
}

}  // namespace parity::load
