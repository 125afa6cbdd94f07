// Memory that a client on this host and the server share.
//
// Key decision: the server makes it and seals it, so nothing that a client does can take pages from
// under the server, make it pay for more, or show it another client's.
#ifndef PARITY_REGION_REGION_H_
#define PARITY_REGION_REGION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "parity/endpoint/descriptor.h"
#include "parity/engine/byte_budget.h"
#include "parity/shm/layout.h"
#include "parity/shm/mapping.h"

namespace parity::region {

// The memories of one client: submissions, completions and the region. Reference-counted by
// shared_ptr: a request that works on it keeps it. Thread-safe, but for the handshake's functions.
class Region {
 public:
  // The bytes that a region of so many costs, in whole pages, the rings included; 2^64 - 1 if it is
  // more than a number can say.
  static uint64_t CostOf(uint64_t region_bytes);

  // Makes the memories, zeroed, every page of them secured on the calling thread's node; the
  // completions are sealed. REQUIRES: somebody has looked whether there is memory: where the
  // control group has too little, the kernel kills the process. RESOURCE_EXHAUSTED or what the
  // operating system says if it cannot be. CANCELLED if
  // `wanted`, which is asked every 64 MiB, says no. Cost: 0.4 s for 1 GiB.
  static absl::StatusOr<std::shared_ptr<Region>> Make(
      uint64_t id, uint64_t bytes, uint32_t node, engine::ByteBudget::Lease lease,
      const std::function<bool()>& wanted = nullptr);

  uint64_t id() const { return id_; }
  uint64_t bytes() const { return data_.bytes(); }
  uint32_t node() const { return node_; }  // that its pages are on, if they can be placed

  // Bytes [offset, offset + bytes) of the region; null if they do not all belong to it, for any two
  // numbers.
  uint8_t* Find(uint64_t offset, uint64_t bytes) const {
    if (offset > data_.bytes() || bytes > data_.bytes() - offset) return nullptr;
    return data_.data() + offset;
  }

  shm::Submissions& submissions() const { return *submissions_; }
  shm::Completions& completions() const { return *completions_; }

  // What Make was given: it may be moved to a MemoryWatch.
  engine::ByteBudget::Lease& lease() { return lease_; }

  // For the handshake. Those of submissions, completions and region, until Seal.
  std::vector<int> descriptors() const;
  uint64_t submissions_bytes() const { return submissions_memory_.bytes(); }
  uint64_t completions_bytes() const { return completions_memory_.bytes(); }
  // When the client has mapped them: seals submissions and region against new writable mappings and
  // holes, gets the pages again that the client has taken from them, and closes the descriptors.
  // FAILED_PRECONDITION if the client has sealed them first; else as Make.
  absl::Status Seal();

 private:
  Region() = default;

  uint64_t id_ = 0;
  uint32_t node_ = 0;
  engine::ByteBudget::Lease lease_;  // given back after the memory
  endpoint::Descriptor submissions_descriptor_;
  endpoint::Descriptor completions_descriptor_;
  endpoint::Descriptor data_descriptor_;
  shm::Mapping submissions_memory_;
  shm::Mapping completions_memory_;
  shm::Mapping data_;
  shm::Submissions* submissions_ = nullptr;
  shm::Completions* completions_ = nullptr;
};

}  // namespace parity::region

#endif  // PARITY_REGION_REGION_H_
