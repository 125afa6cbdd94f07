// First, because rapidcheck/gtest.h does not include it.
#include "gtest/gtest.h"

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "stripe.h"

namespace parity::codec {
namespace {

Geometry AnyGeometry() {
  const Code code = *rc::gen::element(Code::kXor, Code::kRaid6, Code::kReedSolomon);
  const uint32_t k = *rc::gen::inRange<uint32_t>(1, 20);
  const uint32_t m = code == Code::kXor     ? 1
                     : code == Code::kRaid6 ? 2
                                            : *rc::gen::inRange<uint32_t>(1, 9);
  return Geometry::Make(code, k, m).value();
}

// Any stripe of any geometry, its shards of any lengths, cut anywhere, and any losses that the code
// can bear: what is restored is what was there, and a stripe put together from it is consistent.
RC_GTEST_PROP(RoundTrip, RestoresWhatWasEncoded, ()) {
  const Geometry geometry = AnyGeometry();
  const size_t k = geometry.data_shards();
  const size_t total = geometry.total_shards();
  const size_t shard_bytes = *rc::gen::inRange<size_t>(0, 5000);
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  const Codec codec(geometry);
  Batch batch(BestTable());

  std::vector<Bytes> stripe;
  for (size_t j = 0; j < k; ++j) {
    stripe.push_back(Noise(*rc::gen::inRange<size_t>(0, shard_bytes + 1), random));
  }
  std::vector<Bytes> parity(geometry.parity_shards(), Bytes(shard_bytes));
  const ShardList data(stripe, random);
  RC_ASSERT(codec.Encode(data.shards(), shard_bytes, Pointers(parity), batch).ok());
  batch.Run();
  std::move(parity.begin(), parity.end(), std::back_inserter(stripe));

  std::vector<uint32_t> present(total);
  for (uint32_t i = 0; i < total; ++i) present[i] = i;
  std::shuffle(present.begin(), present.end(), random);
  const size_t losses = *rc::gen::inRange<size_t>(0, geometry.parity_shards() + 1);
  const std::vector<uint32_t> lost(present.end() - static_cast<ptrdiff_t>(losses), present.end());
  present.resize(total - losses);
  std::vector<Bytes> survivors;
  for (const uint32_t shard : present) survivors.push_back(stripe[shard]);
  const ShardList left(survivors, random);
  std::vector<Bytes> restored(lost.size(), Bytes(shard_bytes));
  RC_ASSERT(
      codec.Reconstruct(present, left.shards(), shard_bytes, lost, Pointers(restored), batch).ok());
  batch.Run();

  for (size_t i = 0; i < lost.size(); ++i) {
    stripe[lost[i]].resize(shard_bytes);
    RC_ASSERT(restored[i] == stripe[lost[i]]);
  }
  const ShardList whole(stripe, random);
  RC_ASSERT(codec.Verify(whole.shards(), shard_bytes, BestTable())->consistent());
}

}  // namespace
}  // namespace parity::codec
