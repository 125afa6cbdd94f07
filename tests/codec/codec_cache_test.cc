#include "parity/codec/codec_cache.h"

#include <memory>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

Geometry SomeGeometry(uint32_t data_shards) {
  return Geometry::Make(Code::kReedSolomon, data_shards, 2).value();
}

TEST(CodecCache, KeepsTheCodecOfAGeometry) {
  CodecCache cache;
  const std::shared_ptr<const Codec> codec = cache.Get(SomeGeometry(4));
  EXPECT_EQ(codec->geometry(), SomeGeometry(4));
  EXPECT_NE(cache.Get(SomeGeometry(5)), codec);
  EXPECT_EQ(cache.Get(SomeGeometry(4)), codec);
}

TEST(CodecCache, TellsCustomMatricesApart) {
  CodecCache cache;
  const auto codec = cache.Get(Geometry::MakeCustom(2, 1, {1, 2}).value());
  EXPECT_EQ(cache.Get(Geometry::MakeCustom(2, 1, {1, 2}).value()), codec);
  EXPECT_NE(cache.Get(Geometry::MakeCustom(2, 1, {1, 3}).value()), codec);
}

TEST(CodecCache, DropsTheOneNotUsedForTheLongestTime) {
  CodecCache cache;
  std::vector<std::shared_ptr<const Codec>> codecs;
  for (uint32_t i = 0; i < CodecCache::kMaxCodecs; ++i) {
    codecs.push_back(cache.Get(SomeGeometry(1 + i)));
  }
  EXPECT_EQ(cache.Get(SomeGeometry(1)), codecs[0]);
  cache.Get(SomeGeometry(100));
  EXPECT_EQ(codecs[1].use_count(), 1);
  EXPECT_EQ(cache.Get(SomeGeometry(1)), codecs[0]);
  EXPECT_EQ(cache.Get(SomeGeometry(3)), codecs[2]);
}

TEST(CodecCache, MayBeUsedByManyThreads) {
  CodecCache cache;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      for (uint32_t round = 0; round < 5000; ++round) {
        const Geometry geometry = SomeGeometry(1 + (round * (thread + 1)) % 12);
        EXPECT_EQ(cache.Get(geometry)->geometry(), geometry);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace parity::codec
