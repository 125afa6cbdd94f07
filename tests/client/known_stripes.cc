#include "known_stripes.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "parity/client/local_coder.h"

namespace parity::client {
namespace {

std::vector<uint8_t> Noise(size_t bytes, std::mt19937& random) {
  std::vector<uint8_t> noise(bytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

std::vector<ShardBytes> Views(const std::vector<std::vector<uint8_t>>& shards, size_t count) {
  return {shards.begin(), shards.begin() + static_cast<ptrdiff_t>(count)};
}

std::vector<uint8_t*> Outputs(std::vector<std::vector<uint8_t>>& shards) {
  std::vector<uint8_t*> outputs;
  for (auto& shard : shards) outputs.push_back(shard.data());
  return outputs;
}

}  // namespace

KnownStripe::KnownStripe(const codec::Geometry& geometry, size_t shard_bytes, std::mt19937& random)
    : geometry_(geometry), shard_bytes_(shard_bytes) {
  const auto scalar = *MakeLocalCoder("scalar");
  const uint32_t k = geometry.data_shards();
  const uint32_t m = geometry.parity_shards();
  const auto add_parity = [&](const Shards& data, Shards& to) {
    Shards parity(m, std::vector<uint8_t>(shard_bytes));
    if (!scalar->Encode(geometry, Views(data, k), shard_bytes, Outputs(parity)).ok()) std::abort();
    to.insert(to.end(), parity.begin(), parity.end());
  };
  for (uint32_t i = 0; i < k; ++i) shards_.push_back(Noise(shard_bytes, random));
  Shards data = shards_;
  add_parity(shards_, shards_);
  for (uint32_t i = 0; i < k; ++i) {
    if (i > 0 && random() % 2 == 0) continue;
    changed_.push_back(i);
    data[i] = Noise(shard_bytes, random);
    after_.push_back(data[i]);
  }
  add_parity(data, after_);
}

absl::Status KnownStripe::Wrong(const std::string& what) const {
  return absl::DataLossError(absl::StrCat("wrong answer: ", what, " of ", geometry_.data_shards(),
                                          "+", geometry_.parity_shards(), ", ", shard_bytes_,
                                          " bytes"));
}

absl::Status KnownStripe::Ask(Coder& coder, std::mt19937& random) const {
  switch (random() % 4) {
    case 0:
      return AskEncode(coder);
    case 1:
      return AskReconstruct(coder, random);
    case 2:
      return AskVerify(coder, random);
    default:
      return AskUpdate(coder);
  }
}

absl::Status KnownStripe::AskEncode(Coder& coder) const {
  Shards parity(geometry_.parity_shards(), std::vector<uint8_t>(shard_bytes_, 0xee));
  absl::Status status = coder.Encode(geometry_, Views(shards_, geometry_.data_shards()),
                                     shard_bytes_, Outputs(parity));
  if (!status.ok()) return status;
  const bool right =
      std::equal(parity.begin(), parity.end(), shards_.begin() + geometry_.data_shards());
  return right ? absl::OkStatus() : Wrong("encode");
}

absl::Status KnownStripe::AskReconstruct(Coder& coder, std::mt19937& random) const {
  std::vector<uint32_t> order(shards_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), random);
  const auto lost = static_cast<ptrdiff_t>(1 + random() % geometry_.parity_shards());
  const std::vector<uint32_t> wanted(order.begin(), order.begin() + lost);
  const std::vector<uint32_t> present(order.begin() + lost, order.end());
  std::vector<ShardBytes> there;
  for (const uint32_t shard : present) there.emplace_back(shards_[shard]);
  Shards out(wanted.size(), std::vector<uint8_t>(shard_bytes_, 0xee));
  absl::Status status =
      coder.Reconstruct(geometry_, present, there, shard_bytes_, wanted, Outputs(out));
  for (size_t i = 0; status.ok() && i < wanted.size(); ++i) {
    if (out[i] != shards_[wanted[i]]) status = Wrong("reconstruct");
  }
  return status;
}

absl::Status KnownStripe::AskVerify(Coder& coder, std::mt19937& random) const {
  const uint32_t bad = geometry_.data_shards() + random() % geometry_.parity_shards();
  const bool damage = random() % 2 == 0;
  std::vector<uint8_t> other = shards_[bad];
  const size_t offset = random() % shard_bytes_;
  other[offset] ^= 1;
  std::vector<ShardBytes> all = Views(shards_, shards_.size());
  if (damage) all[bad] = other;
  const absl::StatusOr<codec::VerifyReport> report = coder.Verify(geometry_, all, shard_bytes_);
  if (!report.ok()) return report.status();
  if (!damage) return report->consistent() ? absl::OkStatus() : Wrong("verify: false alarm");
  const bool right = report->mismatches.size() == 1 && report->mismatches[0].shard == bad &&
                     report->mismatches[0].offset == offset;
  return right ? absl::OkStatus() : Wrong("verify: damage not found where it is");
}

absl::Status KnownStripe::AskUpdate(Coder& coder) const {
  std::vector<ShardBytes> before;
  for (const uint32_t shard : changed_) before.emplace_back(shards_[shard]);
  Shards parity(shards_.begin() + geometry_.data_shards(), shards_.end());
  absl::Status status = coder.Update(geometry_, changed_, before, Views(after_, changed_.size()),
                                     shard_bytes_, Outputs(parity));
  if (!status.ok()) return status;
  const bool right = std::equal(parity.begin(), parity.end(),
                                after_.begin() + static_cast<ptrdiff_t>(changed_.size()));
  return right ? absl::OkStatus() : Wrong("update");
}

std::vector<KnownStripe> MakeKnownStripes(uint32_t seed) {
  std::mt19937 random(seed);
  const std::vector<codec::Geometry> geometries = {
      *codec::Geometry::Make(codec::Code::kXor, 4, 1),
      *codec::Geometry::Make(codec::Code::kRaid6, 6, 2),
      *codec::Geometry::Make(codec::Code::kReedSolomon, 4, 2),
      *codec::Geometry::Make(codec::Code::kReedSolomon, 10, 4)};
  std::vector<KnownStripe> stripes;
  for (const codec::Geometry& geometry : geometries) {
    for (const size_t bytes : {size_t{1}, size_t{4'096}, size_t{65'537}, size_t{1} << 20}) {
      stripes.emplace_back(geometry, bytes, random);
    }
  }
  stripes.emplace_back(geometries[2], size_t{4} << 20, random);
  return stripes;
}

}  // namespace parity::client
