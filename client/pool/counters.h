// What a client counts, and what it says when something changes.
#ifndef PARITY_CLIENT_COUNTERS_H_
#define PARITY_CLIENT_COUNTERS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace parity::client {

// ClientStats has what each means. Thread-safe.
struct Counters {
  std::atomic<uint64_t> calls_to_servers{0};  // wherever they ended
  std::atomic<uint64_t> failed_calls{0};
  std::atomic<uint64_t> remote_slices{0};
  std::atomic<uint64_t> local_slices{0};
  std::atomic<uint64_t> fallback_slices{0};
  std::atomic<uint64_t> retries{0};
  std::atomic<uint64_t> retries_refused{0};
  std::atomic<uint64_t> pushbacks{0};
  std::atomic<uint64_t> hedges{0};
  std::atomic<uint64_t> hedges_won{0};
  std::atomic<uint64_t> damaged_shards{0};
};

inline void Count(std::atomic<uint64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

using Log = std::function<void(const std::string& line)>;

}  // namespace parity::client

#endif  // PARITY_CLIENT_COUNTERS_H_
