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

// Any geometry that bears the loss of as many shards as it has parity shards.
Geometry AnyGeometry() {
  const Code code = *rc::gen::element(Code::kXor, Code::kRaid6, Code::kReedSolomon);
  const uint32_t k = *rc::gen::inRange<uint32_t>(1, 20);
  if (code != Code::kReedSolomon) {
    return Geometry::Make(code, k, code == Code::kXor ? 1 : 2).value();
  }
  const Matrix matrix =
      *rc::gen::element(Matrix::kCauchy, Matrix::kVandermonde, Matrix::kSystematicVandermonde);
  const uint32_t m = *rc::gen::inRange<uint32_t>(1, matrix == Matrix::kVandermonde ? 4 : 9);
  return Geometry::Make(code, k, m, matrix).value();
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

// Any custom matrix, half of its factors 0, and any losses: a lost shard is restored, and from
// those that ShardsNeeded names alone, exactly if those that are left determine it.
RC_GTEST_PROP(RoundTrip, RestoresWhatACustomMatrixDetermines, ()) {
  const uint32_t k = *rc::gen::inRange<uint32_t>(1, 12);
  const uint32_t m = *rc::gen::inRange<uint32_t>(1, 9);
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  Bytes generator = Noise(size_t{k} * m, random);
  for (uint8_t& factor : generator) factor = random() % 2 == 0 ? 0 : factor % 4;
  const absl::StatusOr<Geometry> geometry = Geometry::MakeCustom(k, m, generator);
  RC_PRE(geometry.ok());
  const Codec codec(*geometry);
  const Rows rows = DefinedRows(*geometry);
  const std::vector<Bytes> stripe = RandomStripe(*geometry, 100, random);
  std::vector<uint32_t> shards(k + m);
  for (uint32_t i = 0; i < k + m; ++i) shards[i] = i;
  std::shuffle(shards.begin(), shards.end(), random);
  const auto first_lost = shards.begin() + *rc::gen::inRange<ptrdiff_t>(0, k + m);
  const std::vector<uint32_t> present(shards.begin(), first_lost);
  for (auto wanted = first_lost; wanted != shards.end(); ++wanted) {
    const auto needed = codec.ShardsNeeded(present, {*wanted});
    RC_ASSERT(needed.ok() == Determine(rows, present, *wanted));
    if (!needed.ok()) continue;
    std::vector<Bytes> sources;
    for (const uint32_t shard : *needed) sources.push_back(stripe[shard]);
    Bytes out(100);
    Batch batch(BestTable());
    RC_ASSERT(codec
                  .Reconstruct(*needed, ShardList(sources, random).shards(), 100, {*wanted},
                               {out.data()}, batch)
                  .ok());
    batch.Run();
    RC_ASSERT(out == stripe[*wanted]);
  }
}

}  // namespace
}  // namespace parity::codec
