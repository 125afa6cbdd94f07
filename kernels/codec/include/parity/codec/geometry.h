// The shape and the code of a stripe.
//
// Key decision: a Geometry is validated when it is made; afterwards the type is the proof, and
// nothing below checks k and m again.
#ifndef PARITY_CODEC_GEOMETRY_H_
#define PARITY_CODEC_GEOMETRY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace parity::codec {

// How parity is computed. The values are those of parity.v1.Code and of the shard-file header.
enum class Code : uint8_t {
  kXor = 1,          // one parity shard: the XOR of the data shards
  kRaid6 = 2,        // two parity shards P and Q as in Linux md: P = sum d[j], Q = sum 2^j d[j]
  kReedSolomon = 3,  // m parity shards: a systematic code over GF(2^8), its factors from a Matrix
};

// The generator matrix of a Reed-Solomon code: the factor of data shard j in parity shard r. XOR
// and RAID-6 have none to choose. The values are those of parity.v1.Matrix and of the shard-file
// header.
enum class Matrix : uint8_t {
  kNone = 0,
  // 1 / ((k + r) xor j): any k shards restore the stripe. ISA-L's gf_gen_cauchy1_matrix and
  // klauspost/reedsolomon's WithCauchyMatrix.
  kCauchy = 1,
  // (2^r)^j, ISA-L's gf_gen_rs_matrix. Any k shards restore the stripe only of some shapes (see
  // any_k_suffice): of others, to ask for a loss that it cannot bear is an error.
  kVandermonde = 2,
  // The matrix of k + m rows r^c (0^0 is 1) times the inverse of its first k rows: any k shards
  // restore the stripe. The default of klauspost/reedsolomon, so MinIO's, and Backblaze's.
  kSystematicVandermonde = 3,
  // The caller's own factors, 0 among them: a locally repairable code, for example. What can be
  // restored depends on them.
  kCustom = 4,
};

// "xor", "raid6", "rs"; "none", "cauchy", "vandermonde", "systematic-vandermonde", "custom".
std::string_view NameOf(Code code);
std::string_view NameOf(Matrix matrix);
// The inverse of NameOf. INVALID_ARGUMENT naming "code" or "matrix" if there is none of that name;
// "none" is no name of a matrix.
absl::StatusOr<Code> CodeFromName(std::string_view name);
absl::StatusOr<Matrix> MatrixFromName(std::string_view name);

// Immutable value: k data shards and m parity shards, numbered 0..k-1 and k..k+m-1. Cheap to copy.
class Geometry {
 public:
  // The most data shards of any code; the field has no more factors that differ for RAID-6.
  static constexpr uint32_t kMaxDataShards = 255;
  // The most shards, k + m, of a Reed-Solomon code: the field has no more elements.
  static constexpr uint32_t kMaxReedSolomonShards = 256;
  // The most shards of any code: RAID-6 has up to 255 and 2.
  static constexpr uint32_t kMaxShards = kMaxDataShards + 2;

  // The geometry; `matrix` unset is the default of the code: kCauchy for Reed-Solomon, kNone for
  // the others. INVALID_ARGUMENT, naming the field "geometry.code", "geometry.matrix",
  // "geometry.data_shards" or "geometry.parity_shards", if k or m is 0 or more than the code allows
  // (XOR has 1 parity shard, RAID-6 has 2), or the code does not have the matrix. A custom matrix
  // takes MakeCustom.
  static absl::StatusOr<Geometry> Make(Code code, uint32_t data_shards, uint32_t parity_shards,
                                       std::optional<Matrix> matrix = std::nullopt);

  // Reed-Solomon with the caller's factors: generator[r * k + j] is that of data shard j in parity
  // shard r. INVALID_ARGUMENT as from Make, and naming "geometry.generator" if it does not have k *
  // m bytes, a parity shard has no factor but 0, or a data shard has none, which no parity would
  // protect. Cost: copies the factors.
  static absl::StatusOr<Geometry> MakeCustom(uint32_t data_shards, uint32_t parity_shards,
                                             absl::Span<const uint8_t> generator);

  Code code() const { return code_; }
  Matrix matrix() const { return matrix_; }
  uint32_t data_shards() const { return data_shards_; }
  uint32_t parity_shards() const { return parity_shards_; }
  uint32_t total_shards() const { return data_shards_ + parity_shards_; }

  // As given to MakeCustom; empty for other matrices.
  absl::Span<const uint8_t> custom_generator() const;

  // Whether any k shards are known to determine all others: true for all but custom matrices and
  // kVandermonde, unless k or m is at most 3, or k + m is within 21 + 4, 4 + 21 or 5 + 5.
  bool any_k_suffice() const;

  friend bool operator==(const Geometry& a, const Geometry& b);
  friend bool operator!=(const Geometry& a, const Geometry& b) { return !(a == b); }

 private:
  using Generator = std::vector<uint8_t>;

  Geometry(Code code, Matrix matrix, uint32_t data_shards, uint32_t parity_shards,
           std::shared_ptr<const Generator> custom_generator);

  Code code_;
  Matrix matrix_;
  uint32_t data_shards_;
  uint32_t parity_shards_;
  std::shared_ptr<const Generator> custom_generator_;  // null unless matrix_ is kCustom
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_GEOMETRY_H_
