#include "parity/shm/record.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace parity::shm {
namespace {

using codec::Geometry;

// Bytes of the words: kind, has_lengths and plan in the first, low bits first, then stripes.
constexpr int kFlagsShift = 8;
constexpr int kPlanShift = 16;
constexpr int kStripesShift = 32;

constexpr size_t kPlanHeaderWords = 2;

size_t WordsFor(size_t bytes) { return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t); }

bool IsOperation(uint8_t value) {
  return value >= static_cast<uint8_t>(Operation::kEncode) &&
         value <= static_cast<uint8_t>(Operation::kUpdate);
}

// The fields of the first two words of a plan.
struct PlanFields {
  uint8_t operation;
  uint8_t code;
  uint8_t matrix;
  uint8_t reserved;
  uint16_t data_shards;
  uint16_t parity_shards;
  uint16_t indices;
  uint16_t wanted;
  uint32_t generator_bytes;
};
static_assert(sizeof(PlanFields) == kPlanHeaderWords * sizeof(uint64_t));

absl::StatusOr<Geometry> GeometryFrom(const PlanFields& fields, absl::Span<const uint8_t> custom) {
  const auto code = static_cast<codec::Code>(fields.code);
  const auto matrix = static_cast<codec::Matrix>(fields.matrix);
  switch (matrix) {
    case codec::Matrix::kCustom:
      if (code != codec::Code::kReedSolomon) break;
      return Geometry::MakeCustom(fields.data_shards, fields.parity_shards, custom);
    case codec::Matrix::kNone:
    case codec::Matrix::kCauchy:
    case codec::Matrix::kVandermonde:
    case codec::Matrix::kSystematicVandermonde:
      if (!custom.empty()) break;
      switch (code) {
        case codec::Code::kXor:
        case codec::Code::kRaid6:
        case codec::Code::kReedSolomon:
          return Geometry::Make(code, fields.data_shards, fields.parity_shards, matrix);
      }
      break;
  }
  return absl::InvalidArgumentError("no such code or matrix");
}

}  // namespace

RecordHeader RecordHeader::Read(absl::Span<const uint64_t> words) {
  RecordHeader header{};
  header.kind = static_cast<RecordKind>(words[0] & 0xff);
  header.has_lengths = ((words[0] >> kFlagsShift) & 1) != 0;
  header.plan = static_cast<uint16_t>(words[0] >> kPlanShift);
  header.stripes = static_cast<uint32_t>(words[0] >> kStripesShift);
  header.id = words[1];
  header.shard_bytes = words[2];
  header.words = words[3];
  return header;
}

void RecordHeader::Write(uint64_t* to) const {
  to[0] = static_cast<uint64_t>(kind) | (has_lengths ? uint64_t{1} << kFlagsShift : 0) |
          uint64_t{plan} << kPlanShift | uint64_t{stripes} << kStripesShift;
  to[1] = id;
  to[2] = shard_bytes;
  to[3] = words;
}

uint32_t Plan::sources() const {
  const auto named = static_cast<uint32_t>(indices.size());
  switch (operation) {
    case Operation::kEncode:
      return geometry.data_shards();
    case Operation::kReconstruct:
      return named;
    case Operation::kVerify:
      return geometry.total_shards();
    case Operation::kUpdate:
      return 2 * named + geometry.parity_shards();
  }
  return 0;
}

uint32_t Plan::outputs() const {
  switch (operation) {
    case Operation::kEncode:
      return geometry.parity_shards();
    case Operation::kReconstruct:
      return static_cast<uint32_t>(wanted.size());
    case Operation::kVerify:
    case Operation::kUpdate:
      return 0;
  }
  return 0;
}

std::vector<uint64_t> PlanWords(const Plan& plan) {
  const Geometry& geometry = plan.geometry;
  const absl::Span<const uint8_t> custom = geometry.custom_generator();
  const PlanFields fields{static_cast<uint8_t>(plan.operation),
                          static_cast<uint8_t>(geometry.code()),
                          static_cast<uint8_t>(geometry.matrix()),
                          0,
                          static_cast<uint16_t>(geometry.data_shards()),
                          static_cast<uint16_t>(geometry.parity_shards()),
                          static_cast<uint16_t>(plan.indices.size()),
                          static_cast<uint16_t>(plan.wanted.size()),
                          static_cast<uint32_t>(custom.size())};
  std::vector<uint64_t> words(kPlanHeaderWords);
  std::memcpy(words.data(), &fields, sizeof fields);
  words.insert(words.end(), plan.indices.begin(), plan.indices.end());
  words.insert(words.end(), plan.wanted.begin(), plan.wanted.end());
  const size_t generator = words.size();
  words.resize(generator + WordsFor(custom.size()));
  if (!custom.empty()) std::memcpy(words.data() + generator, custom.data(), custom.size());
  return words;
}

std::optional<Plan> PlanFrom(absl::Span<const uint64_t> words) {
  if (words.size() < kPlanHeaderWords) return std::nullopt;
  PlanFields fields;
  std::memcpy(&fields, words.data(), sizeof fields);
  if (!IsOperation(fields.operation) || fields.indices > Geometry::kMaxShards ||
      fields.wanted > Geometry::kMaxShards) {
    return std::nullopt;
  }
  const size_t generator = kPlanHeaderWords + fields.indices + fields.wanted;
  if (words.size() != generator + WordsFor(fields.generator_bytes)) return std::nullopt;
  const absl::StatusOr<Geometry> geometry = GeometryFrom(
      fields, {reinterpret_cast<const uint8_t*>(words.data() + generator), fields.generator_bytes});
  if (!geometry.ok()) return std::nullopt;
  Plan plan{static_cast<Operation>(fields.operation), *geometry, {}, {}};
  for (size_t i = kPlanHeaderWords; i < generator; ++i) {
    if (words[i] > UINT32_MAX) return std::nullopt;
    auto& list = i < kPlanHeaderWords + fields.indices ? plan.indices : plan.wanted;
    list.push_back(static_cast<uint32_t>(words[i]));
  }
  return plan;
}

uint64_t RunWords(const Plan& plan, uint32_t stripes, bool has_lengths) {
  const uint64_t sources = uint64_t{plan.sources()} * stripes;
  const uint64_t outputs =
      plan.operation == Operation::kVerify ? 1 : uint64_t{plan.outputs()} * stripes;
  return RecordHeader::kWords + sources + outputs + (has_lengths ? sources : 0);
}

size_t ReportBytes(const codec::Geometry& geometry, uint32_t stripes) {
  const uint64_t most = uint64_t{geometry.parity_shards()} * stripes;
  return sizeof(VerifyReport) +
         std::min<uint64_t>(most, VerifyReport::kMaxMismatches) * sizeof(VerifyReport::Mismatch);
}

}  // namespace parity::shm
