// The regions that requests over gRPC may name.
#ifndef PARITY_REGION_REGION_TABLE_H_
#define PARITY_REGION_REGION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "parity/region/region.h"

namespace parity::region {

// Thread-safe. Ids are random numbers of 64 bits that the client learns over its own connection:
// who knows one may use the region.
class RegionTable {
 public:
  // An id that no region has. Unset never: if the system has no random numbers it aborts.
  uint64_t NewId();

  // From now on the region can be found. It stays for as long as Remove is not called.
  void Add(const std::shared_ptr<Region>& region);
  void Remove(uint64_t id);

  // Null if there is none of that id.
  std::shared_ptr<Region> Find(uint64_t id) const;

  size_t size() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<Region>> regions_;
};

}  // namespace parity::region

#endif  // PARITY_REGION_REGION_TABLE_H_
