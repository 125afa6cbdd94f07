// Knows when memory that was shared with a client is really gone.
//
// Key decision: the kernel keeps it, and charges it to the server, for as long as anybody has a
// descriptor or a mapping of it, so a client that goes and keeps them must not get as much again.
// Inotify tells when the last of them has ended.
#ifndef PARITY_REGION_MEMORY_WATCH_H_
#define PARITY_REGION_MEMORY_WATCH_H_

#include <memory>
#include <unordered_map>
#include <vector>

#include "parity/endpoint/descriptor.h"
#include "parity/engine/byte_budget.h"

namespace parity::region {

// Not thread-safe, but for the leases.
class MemoryWatch {
 public:
  // Where the system has no inotify left for this user, it watches nothing.
  MemoryWatch();

  // Readable when Update has something to do; -1 if nothing can be watched.
  int fd() const { return inotify_.get(); }

  // Keeps `lease` until all memories of these descriptors are gone. False, and it stays the
  // caller's, if they cannot be watched.
  bool Keep(const std::vector<int>& descriptors, engine::ByteBudget::Lease& lease);

  // Gives back the leases of memory that is gone.
  void Update();

 private:
  endpoint::Descriptor inotify_;
  std::unordered_map<int, std::shared_ptr<engine::ByteBudget::Lease>> leases_;  // by watch
};

}  // namespace parity::region

#endif  // PARITY_REGION_MEMORY_WATCH_H_
