// Requests of parity.v1 and their right answers, for tests that speak to a server in protobuf.
#ifndef PARITY_TESTS_RPC_STRIPE_MESSAGES_H_
#define PARITY_TESTS_RPC_STRIPE_MESSAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "parity/codec/geometry.h"
#include "parity/v1/parity.pb.h"

namespace parity::testing {

// Stripes with their parity, computed in this process by the scalar kernels.
struct Stripes {
  codec::Geometry geometry;
  size_t shard_bytes;
  std::vector<std::vector<std::string>> shards;  // of each stripe, k + m

  Stripes(const codec::Geometry& of, size_t bytes, uint32_t count, uint32_t seed);

  // The shards with these indices of every stripe, those of the first one first.
  std::vector<std::string> Pick(const std::vector<uint32_t>& indices) const;
  std::vector<std::string> Data() const;
  std::vector<std::string> Parity() const;
  std::vector<std::string> All() const;
};

std::string Packed(const std::vector<std::string>& shards);
uint32_t Crc32cOf(const std::string& bytes);

// Fills the fields that all requests have; `packed` chooses the form.
template <class Request>
Request RequestFor(const v1::Geometry& geometry, const std::vector<std::string>& shards,
                   size_t shard_bytes, uint32_t stripes, bool packed) {
  Request request;
  *request.mutable_geometry() = geometry;
  request.set_shard_bytes(shard_bytes);
  request.set_stripes(stripes);
  if (packed) {
    request.set_packed_shards(Packed(shards));
  } else {
    for (const std::string& shard : shards) request.add_shards(shard);
  }
  return request;
}

// The shards of a response in either form.
template <class Response>
std::vector<std::string> ShardsIn(const Response& response) {
  std::vector<std::string> shards(response.shards().begin(), response.shards().end());
  const std::string& packed = response.packed_shards();
  for (size_t at = 0; at < packed.size(); at += response.shard_bytes()) {
    shards.push_back(packed.substr(at, response.shard_bytes()));
  }
  return shards;
}

}  // namespace parity::testing

#endif  // PARITY_TESTS_RPC_STRIPE_MESSAGES_H_
