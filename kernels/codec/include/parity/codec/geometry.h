// The shape and the code of a stripe.
//
// Key decision: a Geometry is validated when it is made; afterwards the type is the proof, and
// nothing below checks k and m again.
#ifndef PARITY_CODEC_GEOMETRY_H_
#define PARITY_CODEC_GEOMETRY_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace parity::codec {

// How parity is computed. The values are those of parity.v1.Code and of the shard-file header.
enum class Code : uint8_t {
  kXor = 1,          // one parity shard: the XOR of the data shards
  kRaid6 = 2,        // two parity shards P and Q as in Linux md: P = sum d[j], Q = sum 2^j d[j]
  kReedSolomon = 3,  // m parity shards: a systematic MDS code over GF(2^8)
};

// The generator matrix of a Reed-Solomon code. XOR and RAID-6 have none to choose.
enum class Matrix : uint8_t {
  kNone = 0,
  kCauchy = 1,  // row k+r, column j holds 1 / ((k + r) xor j): any k shards restore the stripe
};

// "xor", "raid6", "rs"; "none", "cauchy".
std::string_view NameOf(Code code);
std::string_view NameOf(Matrix matrix);
// The inverse of NameOf. INVALID_ARGUMENT naming "code" if there is no such code.
absl::StatusOr<Code> CodeFromName(std::string_view name);

// Immutable value: k data shards and m parity shards, numbered 0..k-1 and k..k+m-1.
class Geometry {
 public:
  static constexpr uint32_t kMaxShards = 255;  // k + m

  // The geometry, with the Cauchy matrix for Reed-Solomon. INVALID_ARGUMENT, naming the field
  // "geometry.code", "geometry.data_shards" or "geometry.parity_shards", if k or m is 0, k + m
  // exceeds kMaxShards, or the code does not have m parity shards (XOR has 1, RAID-6 has 2).
  static absl::StatusOr<Geometry> Make(Code code, uint32_t data_shards, uint32_t parity_shards);

  Code code() const { return code_; }
  Matrix matrix() const { return code_ == Code::kReedSolomon ? Matrix::kCauchy : Matrix::kNone; }
  uint32_t data_shards() const { return data_shards_; }
  uint32_t parity_shards() const { return parity_shards_; }
  uint32_t total_shards() const { return data_shards_ + parity_shards_; }

  friend bool operator==(const Geometry& a, const Geometry& b) {
    return a.code_ == b.code_ && a.data_shards_ == b.data_shards_ &&
           a.parity_shards_ == b.parity_shards_;
  }
  friend bool operator!=(const Geometry& a, const Geometry& b) { return !(a == b); }

 private:
  Geometry(Code code, uint32_t data_shards, uint32_t parity_shards)
      : code_(code), data_shards_(data_shards), parity_shards_(parity_shards) {}

  Code code_;
  uint32_t data_shards_;
  uint32_t parity_shards_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_GEOMETRY_H_
