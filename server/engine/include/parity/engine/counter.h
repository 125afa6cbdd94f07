// A count of what one thread has done.
#ifndef PARITY_ENGINE_COUNTER_H_
#define PARITY_ENGINE_COUNTER_H_

#include <atomic>
#include <cstdint>

namespace parity::engine {

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

}  // namespace parity::engine

#endif  // PARITY_ENGINE_COUNTER_H_
