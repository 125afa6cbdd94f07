// Stripes for tests: whole in memory, with parity from the codes' definitions.
#ifndef PARITY_TESTS_CODEC_STRIPE_H_
#define PARITY_TESTS_CODEC_STRIPE_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "definition.h"
#include "parity/codec/codec.h"
#include "parity/codec/field_error.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/kernels/dispatch.h"

namespace parity::codec {

using Bytes = std::vector<uint8_t>;

inline Bytes Noise(size_t bytes, std::mt19937& random) {
  Bytes noise(bytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

// The parity of `data`, each shard of which counts as followed by zeros, byte by byte.
inline std::vector<Bytes> DefinedParity(const Geometry& geometry, const std::vector<Bytes>& data,
                                        size_t shard_bytes) {
  const Rows generator = DefinedGenerator(geometry);
  std::vector<Bytes> parity(geometry.parity_shards(), Bytes(shard_bytes));
  for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
      for (size_t i = 0; i < data[j].size(); ++i) {
        parity[r][i] ^= Product(generator[r][j], data[j][i]);
      }
    }
  }
  return parity;
}

// k random data shards, all of `shard_bytes`, and their parity.
inline std::vector<Bytes> RandomStripe(const Geometry& geometry, size_t shard_bytes,
                                       std::mt19937& random) {
  std::vector<Bytes> shards;
  for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
    shards.push_back(Noise(shard_bytes, random));
  }
  std::vector<Bytes> parity = DefinedParity(geometry, shards, shard_bytes);
  std::move(parity.begin(), parity.end(), std::back_inserter(shards));
  return shards;
}

// Buffers as shards: of one segment each, or cut at random places.
class ShardList {
 public:
  explicit ShardList(const std::vector<Bytes>& buffers) : segments_(buffers.size()) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      segments_[i].push_back({buffers[i].data(), buffers[i].size()});
    }
  }
  ShardList(const std::vector<Bytes>& buffers, std::mt19937& random) : segments_(buffers.size()) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      size_t at = 0;
      while (at < buffers[i].size()) {
        // Of no byte now and then.
        const size_t bytes =
            std::min<size_t>(random() % 4 * (random() % 700), buffers[i].size() - at);
        segments_[i].push_back({buffers[i].data() + at, bytes});
        at += bytes;
      }
    }
  }

  std::vector<Shard> shards() const { return {segments_.begin(), segments_.end()}; }

 private:
  std::vector<std::vector<Segment>> segments_;
};

inline std::vector<uint8_t*> Pointers(std::vector<Bytes>& buffers) {
  std::vector<uint8_t*> pointers;
  for (Bytes& buffer : buffers) pointers.push_back(buffer.data());
  return pointers;
}

inline const kernels::KernelTable& BestTable() { return *kernels::SelectTable("auto").value(); }

// Two groups of 3 data shards with a parity of their own each, shards 6 and 7, and two parity
// shards of all, 8 and 9: a locally repairable code. Lost data shards beside those of a group's
// parity cost reading the group alone.
inline Geometry LocalGroups() {
  return Geometry::MakeCustom(6, 4, {1, 1, 1,  0,  0,  0,   // group of shards 0 to 2
                                     0, 0, 0,  1,  1,  1,   // group of shards 3 to 5
                                     1, 2, 4,  8,  16, 32,  // as Q of RAID-6
                                     1, 4, 16, 64, 29, 116})
      .value();
}

// The same parity twice, one shard that only one parity protects, and factors 0.
inline Geometry Lopsided() {
  return Geometry::MakeCustom(3, 4,
                              {1, 1, 0,  //
                               1, 1, 0,  //
                               0, 7, 0,  //
                               0, 3, 9})
      .value();
}

// Every geometry with a matrix of its own of up to `most` shards in all.
inline std::vector<Geometry> GeometriesUpTo(uint32_t most) {
  std::vector<Geometry> geometries;
  for (const Code code : {Code::kXor, Code::kRaid6, Code::kReedSolomon}) {
    for (const Matrix matrix :
         {Matrix::kNone, Matrix::kCauchy, Matrix::kVandermonde, Matrix::kSystematicVandermonde}) {
      for (uint32_t k = 1; k < most; ++k) {
        for (uint32_t m = 1; k + m <= most; ++m) {
          const auto geometry = Geometry::Make(code, k, m, matrix);
          if (geometry.ok()) geometries.push_back(*geometry);
        }
      }
    }
  }
  return geometries;
}

// "rs (cauchy) 4+2", for messages.
inline std::string NameOf(const Geometry& geometry) {
  return std::string(NameOf(geometry.code())) + " (" + std::string(NameOf(geometry.matrix())) +
         ") " + std::to_string(geometry.data_shards()) + "+" +
         std::to_string(geometry.parity_shards());
}

// The shards whose bit is set in `pattern`, and the others.
inline std::pair<std::vector<uint32_t>, std::vector<uint32_t>> Split(uint32_t total,
                                                                     uint32_t pattern) {
  std::vector<uint32_t> set;
  std::vector<uint32_t> others;
  for (uint32_t shard = 0; shard < total; ++shard) {
    ((pattern >> shard & 1) != 0 ? set : others).push_back(shard);
  }
  return {set, others};
}

// What a test compares: the code, the field and the whole message.
struct Fault {
  absl::StatusCode code;
  std::string field;
  std::string message;

  friend bool operator==(const Fault& a, const Fault& b) {
    return a.code == b.code && a.field == b.field && a.message == b.message;
  }
  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) {
    return out << absl::StatusCodeToString(fault.code) << " [" << fault.field << "] "
               << fault.message;
  }
};

inline Fault FaultOf(const absl::Status& status) {
  return {status.code(), FieldOf(status).value_or("no field"), std::string(status.message())};
}

inline Fault Undetermined(const std::string& field, const std::string& rest) {
  return {absl::StatusCode::kFailedPrecondition, field, field + ": " + rest};
}

inline Fault Invalid(const std::string& field, const std::string& rest) {
  return {absl::StatusCode::kInvalidArgument, field, field + ": " + rest};
}

}  // namespace parity::codec

#endif  // PARITY_TESTS_CODEC_STRIPE_H_
