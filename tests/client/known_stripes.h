// Stripes whose parity is known, to be asked for over and over.
#ifndef PARITY_TESTS_CLIENT_KNOWN_STRIPES_H_
#define PARITY_TESTS_CLIENT_KNOWN_STRIPES_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "parity/client/coder.h"

namespace parity::client {

// One stripe before and after some of its data shards have changed, with its parity by the scalar
// kernels.
class KnownStripe {
 public:
  KnownStripe(const codec::Geometry& geometry, size_t shard_bytes, std::mt19937& random);

  // Has any operation done, chosen by chance, and compares every byte of the answer. Thread-safe.
  // The error of the coder; DATA_LOSS saying what was wrong, if the answer was.
  absl::Status Ask(Coder& coder, std::mt19937& random) const;

 private:
  using Shards = std::vector<std::vector<uint8_t>>;

  absl::Status AskEncode(Coder& coder) const;
  absl::Status AskReconstruct(Coder& coder, std::mt19937& random) const;
  absl::Status AskVerify(Coder& coder, std::mt19937& random) const;
  absl::Status AskUpdate(Coder& coder) const;
  absl::Status Wrong(const std::string& what) const;

  const codec::Geometry geometry_;
  const size_t shard_bytes_;
  Shards shards_;                  // all, before
  std::vector<uint32_t> changed_;  // data shards
  Shards after_;                   // those, and then the parity, after
};

// Of several codes and lengths from 1 byte to 4 MiB a shard.
std::vector<KnownStripe> MakeKnownStripes(uint32_t seed);

}  // namespace parity::client

#endif  // PARITY_TESTS_CLIENT_KNOWN_STRIPES_H_
