// What a worker has done, for GetServerStats.
#ifndef PARITY_RPC_COUNTERS_H_
#define PARITY_RPC_COUNTERS_H_

#include <atomic>
#include <cstdint>

namespace parity::rpc {

// One thread adds, any may read.
class Counter {
 public:
  void Add(uint64_t value) {
    value_.store(value_.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// As parity.v1.GetServerStatsResponse has them.
struct Counters {
  Counter requests;
  Counter stripes;
  Counter source_bytes;
  Counter refused_requests;
  Counter dropped_requests;
  Counter failed_requests;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_COUNTERS_H_
