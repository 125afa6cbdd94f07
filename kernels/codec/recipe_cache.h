// The recipes used last, so that a run of stripes with the same losses solves its equations once.
#ifndef PARITY_CODEC_RECIPE_CACHE_H_
#define PARITY_CODEC_RECIPE_CACHE_H_

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "recipe.h"

namespace parity::codec {

// Thread-safe. Holds the recipes of one geometry, kMaxRecipes and kMaxBytes at most: beyond, those
// not used for the longest time go. Recipes that are in use outlive that.
class RecipeCache {
 public:
  static constexpr size_t kMaxRecipes = 64;
  // Of factors and sources. The largest recipe has 128 x 128 factors, 256 KiB.
  static constexpr size_t kMaxBytes = 1 << 20;

  struct Key {
    ShardMask present;
    ShardMask wanted;

    friend bool operator==(const Key& a, const Key& b) {
      return a.present == b.present && a.wanted == b.wanted;
    }
  };

  // The recipe, now the one used last; null if it is not there. Allocates nothing.
  std::shared_ptr<const Recipe> Find(const Key& key);

  // Adds a recipe as the one used last. Does nothing if there is one already.
  void Add(const Key& key, std::shared_ptr<const Recipe> recipe);

 private:
  struct Entry {
    Key key;
    std::shared_ptr<const Recipe> recipe;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      const std::hash<ShardMask> hash;
      return hash(key.present) * 31 + hash(key.wanted);
    }
  };

  std::mutex mutex_;
  std::list<Entry> entries_;  // last used first
  std::unordered_map<Key, std::list<Entry>::iterator, Hash> places_;
  size_t bytes_ = 0;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_RECIPE_CACHE_H_
