// Stripes for tests: whole in memory, with parity from the codes' definitions.
#ifndef PARITY_TESTS_CODEC_STRIPE_H_
#define PARITY_TESTS_CODEC_STRIPE_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "parity/codec/codec.h"
#include "parity/codec/field_error.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/kernels/dispatch.h"
#include "parity/kernels/gf256.h"

namespace parity::codec {

using Bytes = std::vector<uint8_t>;

inline Bytes Noise(size_t bytes, std::mt19937& random) {
  Bytes noise(bytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

// The factor of data shard j in parity shard r, as the codes are defined.
inline uint8_t DefinedFactor(const Geometry& geometry, uint32_t r, uint32_t j) {
  switch (geometry.code()) {
    case Code::kXor:
      return 1;
    case Code::kRaid6: {
      uint8_t factor = 1;
      for (uint32_t i = 0; r == 1 && i < j; ++i) factor = kernels::GfMultiply(factor, 2);
      return factor;
    }
    case Code::kReedSolomon:
      return kernels::GfInverse(static_cast<uint8_t>((geometry.data_shards() + r) ^ j));
  }
  return 0;
}

// The parity of `data`, each shard of which counts as followed by zeros, byte by byte.
inline std::vector<Bytes> DefinedParity(const Geometry& geometry, const std::vector<Bytes>& data,
                                        size_t shard_bytes) {
  std::vector<Bytes> parity(geometry.parity_shards(), Bytes(shard_bytes));
  for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
      const uint8_t factor = DefinedFactor(geometry, r, j);
      for (size_t i = 0; i < data[j].size(); ++i) {
        parity[r][i] ^= kernels::kGfTables.product[factor][data[j][i]];
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

// Every geometry of up to `most` shards in all.
inline std::vector<Geometry> GeometriesUpTo(uint32_t most) {
  std::vector<Geometry> geometries;
  for (const Code code : {Code::kXor, Code::kRaid6, Code::kReedSolomon}) {
    for (uint32_t k = 1; k < most; ++k) {
      for (uint32_t m = 1; k + m <= most; ++m) {
        const auto geometry = Geometry::Make(code, k, m);
        if (geometry.ok()) geometries.push_back(*geometry);
      }
    }
  }
  return geometries;
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

inline Fault Invalid(const std::string& field, const std::string& rest) {
  return {absl::StatusCode::kInvalidArgument, field, field + ": " + rest};
}

}  // namespace parity::codec

#endif  // PARITY_TESTS_CODEC_STRIPE_H_
