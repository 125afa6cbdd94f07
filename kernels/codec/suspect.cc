#include "suspect.h"

#include <algorithm>
#include <vector>

#include "arithmetic.h"

namespace parity::codec {
namespace {

uint8_t ByteAt(Shard shard, uint64_t offset) {
  for (const Segment& segment : shard) {
    if (offset < segment.bytes) return segment.data[offset];
    offset -= segment.bytes;
  }
  return 0;
}

// Whether the syndromes are what data shard j adds to the parity if one byte of it is wrong: the
// same multiple of its factor in every parity shard. REQUIRES: some syndrome is not 0.
bool Explains(const Factors& generator, size_t j, const std::vector<uint8_t>& syndromes) {
  size_t first = 0;
  while (syndromes[first] == 0) ++first;
  const uint8_t error = Multiply(syndromes[first], Inverse(generator.at(j, first)));
  for (size_t r = 0; r < syndromes.size(); ++r) {
    if (Multiply(generator.at(j, r), error) != syndromes[r]) return false;
  }
  return true;
}

}  // namespace

std::optional<uint32_t> Suspect(const Factors& generator, absl::Span<const Shard> shards,
                                uint64_t offset) {
  const size_t k = generator.sources();
  const size_t m = generator.outputs();
  // What the stored parity differs by from what the data gives.
  std::vector<uint8_t> syndromes(m);
  for (size_t r = 0; r < m; ++r) {
    syndromes[r] = ByteAt(shards[k + r], offset);
    for (size_t j = 0; j < k; ++j) {
      syndromes[r] ^= Multiply(generator.at(j, r), ByteAt(shards[j], offset));
    }
  }
  const auto is_wrong = [](uint8_t syndrome) { return syndrome != 0; };
  const auto wrong = std::count_if(syndromes.begin(), syndromes.end(), is_wrong);
  if (wrong == 0) return std::nullopt;  // somebody wrote to the shards meanwhile
  std::vector<size_t> suspects;
  if (wrong == 1) {
    const auto first = std::find_if(syndromes.begin(), syndromes.end(), is_wrong);
    suspects.push_back(k + static_cast<size_t>(first - syndromes.begin()));
  }
  for (size_t j = 0; j < k; ++j) {
    if (Explains(generator, j, syndromes)) suspects.push_back(j);
  }
  if (suspects.size() != 1) return std::nullopt;
  return static_cast<uint32_t>(suspects.front());
}

}  // namespace parity::codec
