#include "parity/codec/geometry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::codec {
namespace {

std::string RangeText(uint32_t first, uint32_t last) {
  return first == last ? absl::StrCat(first) : absl::StrCat(first, " to ", last);
}

// Whether the code has this many shards.
absl::Status CheckShape(Code code, uint32_t data_shards, uint32_t parity_shards) {
  uint32_t fewest_parity = 0;
  uint32_t most_parity = 0;
  switch (code) {
    case Code::kXor:
      fewest_parity = most_parity = 1;
      break;
    case Code::kRaid6:
      fewest_parity = most_parity = 2;
      break;
    case Code::kReedSolomon:
      fewest_parity = 1;
      most_parity = Geometry::kMaxReedSolomonShards;
      break;
  }
  if (fewest_parity == 0) {
    return InvalidField("geometry.code", static_cast<uint32_t>(code),
                        "1 (xor), 2 (raid6) or 3 (rs)");
  }
  if (data_shards < 1 || data_shards > Geometry::kMaxDataShards) {
    return InvalidField("geometry.data_shards", data_shards,
                        RangeText(1, Geometry::kMaxDataShards));
  }
  if (code == Code::kReedSolomon) most_parity -= data_shards;
  if (parity_shards < fewest_parity || parity_shards > most_parity) {
    return InvalidField("geometry.parity_shards", parity_shards,
                        RangeText(fewest_parity, most_parity));
  }
  return absl::OkStatus();
}

absl::Status CheckMatrix(Code code, Matrix matrix) {
  const std::string got =
      absl::StrCat(static_cast<uint32_t>(matrix), " (", std::string(NameOf(matrix)), ")");
  if (code != Code::kReedSolomon) {
    if (matrix == Matrix::kNone) return absl::OkStatus();
    return InvalidField("geometry.matrix", got, "0 (none): only rs has one to choose");
  }
  switch (matrix) {
    case Matrix::kCauchy:
    case Matrix::kVandermonde:
    case Matrix::kSystematicVandermonde:
      return absl::OkStatus();
    case Matrix::kNone:
    case Matrix::kCustom:
      break;
  }
  return InvalidField("geometry.matrix", got,
                      "1 (cauchy), 2 (vandermonde) or 3 (systematic-vandermonde)");
}

absl::Status CheckGenerator(size_t k, size_t m, absl::Span<const uint8_t> generator) {
  if (generator.size() != k * m) {
    return InvalidField("geometry.generator", absl::StrCat(generator.size(), " bytes"),
                        absl::StrCat(k * m, ": ", m, " rows of ", k));
  }
  std::vector<bool> is_protected(k);
  for (size_t r = 0; r < m; ++r) {
    bool is_used = false;
    for (size_t j = 0; j < k; ++j) {
      if (generator[r * k + j] == 0) continue;
      is_used = true;
      is_protected[j] = true;
    }
    if (!is_used) {
      return InvalidField("geometry.generator", absl::StrCat("only zeros for parity shard ", k + r),
                          "a data shard that it depends on");
    }
  }
  const auto lone = std::find(is_protected.begin(), is_protected.end(), false);
  if (lone == is_protected.end()) return absl::OkStatus();
  return InvalidField("geometry.generator",
                      absl::StrCat("only zeros for data shard ", lone - is_protected.begin()),
                      "a parity shard that depends on it");
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
    case Matrix::kVandermonde:
      return "vandermonde";
    case Matrix::kSystematicVandermonde:
      return "systematic-vandermonde";
    case Matrix::kCustom:
      return "custom";
  }
  return "unknown";
}

absl::StatusOr<Code> CodeFromName(std::string_view name) {
  for (const Code code : {Code::kXor, Code::kRaid6, Code::kReedSolomon}) {
    if (name == NameOf(code)) return code;
  }
  return InvalidField("code", name, "xor, raid6 or rs");
}

absl::StatusOr<Matrix> MatrixFromName(std::string_view name) {
  for (const Matrix matrix :
       {Matrix::kCauchy, Matrix::kVandermonde, Matrix::kSystematicVandermonde, Matrix::kCustom}) {
    if (name == NameOf(matrix)) return matrix;
  }
  return InvalidField("matrix", name, "cauchy, vandermonde, systematic-vandermonde or custom");
}

Geometry::Geometry(Code code, Matrix matrix, uint32_t data_shards, uint32_t parity_shards,
                   std::shared_ptr<const Generator> custom_generator)
    : code_(code),
      matrix_(matrix),
      data_shards_(data_shards),
      parity_shards_(parity_shards),
      custom_generator_(std::move(custom_generator)) {}

absl::StatusOr<Geometry> Geometry::Make(Code code, uint32_t data_shards, uint32_t parity_shards,
                                        std::optional<Matrix> matrix) {
  const Matrix chosen =
      matrix.value_or(code == Code::kReedSolomon ? Matrix::kCauchy : Matrix::kNone);
  absl::Status status = CheckShape(code, data_shards, parity_shards);
  if (status.ok()) status = CheckMatrix(code, chosen);
  if (!status.ok()) return status;
  return Geometry(code, chosen, data_shards, parity_shards, nullptr);
}

absl::StatusOr<Geometry> Geometry::MakeCustom(uint32_t data_shards, uint32_t parity_shards,
                                              absl::Span<const uint8_t> generator) {
  absl::Status status = CheckShape(Code::kReedSolomon, data_shards, parity_shards);
  if (status.ok()) status = CheckGenerator(data_shards, parity_shards, generator);
  if (!status.ok()) return status;
  return Geometry(Code::kReedSolomon, Matrix::kCustom, data_shards, parity_shards,
                  std::make_shared<const Generator>(generator.begin(), generator.end()));
}

absl::Span<const uint8_t> Geometry::custom_generator() const {
  if (custom_generator_ == nullptr) return {};
  return *custom_generator_;
}

namespace {

// Whether every square submatrix of the m x k matrix (2^r)^j is regular.
bool IsVandermondeMds(uint32_t k, uint32_t m) {
  // With x = 2^j, which differs in every column, three rows are 1, x and x^2: every square
  // submatrix is a Vandermonde matrix in x or x^2, but for factors that are not 0. Three columns
  // likewise.
  if (k <= 3 || m <= 3) return true;
  // Found by trying every loss of m shards.
  return (m == 4 && k <= 21) || (k == 4 && m <= 21) || (k == 5 && m == 5);
}

}  // namespace

bool Geometry::any_k_suffice() const {
  switch (matrix_) {
    case Matrix::kNone:
    case Matrix::kCauchy:
    case Matrix::kSystematicVandermonde:
      return true;
    case Matrix::kVandermonde:
      return IsVandermondeMds(data_shards_, parity_shards_);
    case Matrix::kCustom:
      return false;
  }
  return false;
}

bool operator==(const Geometry& a, const Geometry& b) {
  return a.code_ == b.code_ && a.matrix_ == b.matrix_ && a.data_shards_ == b.data_shards_ &&
         a.parity_shards_ == b.parity_shards_ &&
         (a.custom_generator_ == b.custom_generator_ ||
          a.custom_generator() == b.custom_generator());
}

}  // namespace parity::codec
