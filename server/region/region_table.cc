#include "parity/region/region_table.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdlib>

namespace parity::region {

uint64_t RegionTable::NewId() {
  uint64_t id = 0;
  // Not 0, which is no region in a request.
  while (id == 0 || Find(id) != nullptr) {
    if (getrandom(&id, sizeof id, 0) != sizeof id && errno != EINTR) std::abort();
  }
  return id;
}

void RegionTable::Add(const std::shared_ptr<Region>& region) {
  const std::lock_guard<std::mutex> lock(mutex_);
  regions_[region->id()] = region;
}

void RegionTable::Remove(uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  regions_.erase(id);
}

std::shared_ptr<Region> RegionTable::Find(uint64_t id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = regions_.find(id);
  return found == regions_.end() ? nullptr : found->second;
}

size_t RegionTable::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return regions_.size();
}

}  // namespace parity::region
