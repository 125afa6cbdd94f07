#include "recipe_cache.h"

#include <cstdint>
#include <utility>

namespace parity::codec {
namespace {

size_t BytesOf(const Recipe& recipe) {
  return recipe.factors->bytes() + recipe.sources.size() * sizeof(uint32_t);
}

}  // namespace

std::shared_ptr<const Recipe> RecipeCache::Find(const Key& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->recipe;
}

void RecipeCache::Add(const Key& key, std::shared_ptr<const Recipe> recipe) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (places_.count(key) != 0) return;
  bytes_ += BytesOf(*recipe);
  entries_.push_front({key, std::move(recipe)});
  places_.emplace(key, entries_.begin());
  while (entries_.size() > kMaxRecipes || bytes_ > kMaxBytes) {
    bytes_ -= BytesOf(*entries_.back().recipe);
    places_.erase(entries_.back().key);
    entries_.pop_back();
  }
}

}  // namespace parity::codec
