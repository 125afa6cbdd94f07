#include "parity/codec/geometry.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::codec {
namespace {

struct ParityRange {
  uint32_t fewest;  // 0: there is no such code
  uint32_t most;
};

ParityRange ParityRangeOf(Code code) {
  switch (code) {
    case Code::kXor:
      return {1, 1};
    case Code::kRaid6:
      return {2, 2};
    case Code::kReedSolomon:
      return {1, Geometry::kMaxShards - 1};
  }
  return {0, 0};
}

std::string RangeText(uint32_t first, uint32_t last) {
  return first == last ? absl::StrCat(first) : absl::StrCat(first, " to ", last);
}

}  // namespace

std::string_view NameOf(Code code) {
  switch (code) {
    case Code::kXor:
      return "xor";
    case Code::kRaid6:
      return "raid6";
    case Code::kReedSolomon:
      return "rs";
  }
  return "unknown";
}

std::string_view NameOf(Matrix matrix) {
  switch (matrix) {
    case Matrix::kNone:
      return "none";
    case Matrix::kCauchy:
      return "cauchy";
  }
  return "unknown";
}

absl::StatusOr<Code> CodeFromName(std::string_view name) {
  for (const Code code : {Code::kXor, Code::kRaid6, Code::kReedSolomon}) {
    if (name == NameOf(code)) return code;
  }
  return InvalidField("code", name, "xor, raid6 or rs");
}

absl::StatusOr<Geometry> Geometry::Make(Code code, uint32_t data_shards, uint32_t parity_shards) {
  const ParityRange parity = ParityRangeOf(code);
  if (parity.fewest == 0) {
    return InvalidField("geometry.code", static_cast<uint32_t>(code),
                        "1 (xor), 2 (raid6) or 3 (rs)");
  }
  const uint32_t most_data = kMaxShards - parity.fewest;
  if (data_shards < 1 || data_shards > most_data) {
    return InvalidField("geometry.data_shards", data_shards, RangeText(1, most_data));
  }
  const uint32_t most_parity = std::min(parity.most, kMaxShards - data_shards);
  if (parity_shards < parity.fewest || parity_shards > most_parity) {
    return InvalidField("geometry.parity_shards", parity_shards,
                        RangeText(parity.fewest, most_parity));
  }
  return Geometry(code, data_shards, parity_shards);
}

}  // namespace parity::codec
