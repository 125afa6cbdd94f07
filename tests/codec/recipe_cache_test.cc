#include "recipe_cache.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "stripe.h"

namespace parity::codec {
namespace {

RecipeCache::Key KeyOf(uint32_t number) {
  RecipeCache::Key key;
  key.present = ShardMask(number);
  key.wanted.set(256);
  return key;
}

std::shared_ptr<const Recipe> SomeRecipe(size_t sources = 1, size_t outputs = 1) {
  auto recipe = std::make_shared<Recipe>();
  recipe->sources.resize(sources);
  recipe->factors =
      std::make_shared<const Factors>(sources, outputs, std::vector<uint8_t>(sources * outputs, 2));
  return recipe;
}

TEST(RecipeCache, FindsWhatWasAdded) {
  RecipeCache cache;
  const auto recipe = SomeRecipe();
  EXPECT_EQ(cache.Find(KeyOf(1)), nullptr);
  cache.Add(KeyOf(1), recipe);
  EXPECT_EQ(cache.Find(KeyOf(1)), recipe);
  EXPECT_EQ(cache.Find(KeyOf(2)), nullptr);
  RecipeCache::Key other_wanted = KeyOf(1);
  other_wanted.wanted.set(3);
  EXPECT_EQ(cache.Find(other_wanted), nullptr);
}

TEST(RecipeCache, KeepsTheFirstOfTwo) {
  RecipeCache cache;
  const auto recipe = SomeRecipe();
  cache.Add(KeyOf(1), recipe);
  cache.Add(KeyOf(1), SomeRecipe());
  EXPECT_EQ(cache.Find(KeyOf(1)), recipe);
}

TEST(RecipeCache, DropsWhatWasNotUsedForTheLongestTime) {
  RecipeCache cache;
  for (uint32_t i = 0; i < RecipeCache::kMaxRecipes; ++i) cache.Add(KeyOf(i), SomeRecipe());
  EXPECT_NE(cache.Find(KeyOf(0)), nullptr);
  cache.Add(KeyOf(1000), SomeRecipe());
  EXPECT_NE(cache.Find(KeyOf(0)), nullptr);
  EXPECT_EQ(cache.Find(KeyOf(1)), nullptr);
  for (uint32_t i = 2; i < RecipeCache::kMaxRecipes; ++i) {
    EXPECT_NE(cache.Find(KeyOf(i)), nullptr) << i;
  }
  EXPECT_NE(cache.Find(KeyOf(1000)), nullptr);
}

TEST(RecipeCache, IsBoundedInBytes) {
  constexpr size_t kRecipeBytes = 128 * (128 * sizeof(kernels::GfFactor) + sizeof(uint32_t));
  constexpr size_t kFit = RecipeCache::kMaxBytes / kRecipeBytes;
  static_assert(kFit < RecipeCache::kMaxRecipes);
  RecipeCache cache;
  for (uint32_t i = 0; i < kFit + 3; ++i) cache.Add(KeyOf(i), SomeRecipe(128, 128));
  for (uint32_t i = 0; i < kFit + 3; ++i) {
    EXPECT_EQ(cache.Find(KeyOf(i)) != nullptr, i >= 3) << i;
  }
}

TEST(RecipeCache, MayBeUsedByManyThreads) {
  RecipeCache cache;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      std::mt19937 random(thread);
      for (int round = 0; round < 20000; ++round) {
        const uint32_t number = random() % 100;
        if (const auto recipe = cache.Find(KeyOf(number))) {
          EXPECT_EQ(recipe->sources.size(), number + 1);
        } else {
          cache.Add(KeyOf(number), SomeRecipe(number + 1));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A codec and its copy, both of which have more patterns of losses than their cache holds.
TEST(Codec, ReconstructsTheSameFromManyThreads) {
  const Geometry geometry = Geometry::Make(Code::kReedSolomon, 8, 4).value();
  const Codec codec(geometry);
  const Codec copy(codec);
  std::mt19937 seed(1);
  const std::vector<Bytes> stripe = RandomStripe(geometry, 64, seed);
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const Codec& mine = thread % 2 == 0 ? codec : copy;
      std::mt19937 random(thread);
      Batch batch(BestTable());
      std::vector<uint32_t> present(geometry.total_shards());
      std::iota(present.begin(), present.end(), 0);
      for (int round = 0; round < 3000; ++round) {
        std::shuffle(present.begin(), present.end(), random);
        const std::vector<uint32_t> left(present.begin(), present.begin() + 8);
        const std::vector<uint32_t> lost(present.begin() + 8, present.end());
        std::vector<Bytes> sources;
        for (const uint32_t shard : left) sources.push_back(stripe[shard]);
        std::vector<Bytes> out(lost.size(), Bytes(64));
        EXPECT_TRUE(
            mine.Reconstruct(left, ShardList(sources).shards(), 64, lost, Pointers(out), batch)
                .ok());
        batch.Run();
        for (size_t i = 0; i < lost.size(); ++i) EXPECT_EQ(out[i], stripe[lost[i]]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace parity::codec
