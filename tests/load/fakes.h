// A clock that stands still until it is told to go on, and a coder that does what a test says.
#ifndef PARITY_TESTS_LOAD_FAKES_H_
#define PARITY_TESTS_LOAD_FAKES_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "parity/client/local_coder.h"
#include "parity/codec/geometry.h"
#include "parity/load/load.h"

namespace parity::load {

// Who sleeps does not wait: it is later then.
class FakeClock final : public Clock {
 public:
  int64_t NowNs() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return now_ns_;
  }
  void SleepUntilNs(int64_t then_ns) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ns_ = std::max(now_ns_, then_ns);
  }
  void Advance(int64_t ns) {
    const std::lock_guard<std::mutex> lock(mutex_);
    now_ns_ += ns;
  }

 private:
  std::mutex mutex_;
  int64_t now_ns_ = 5000000000;  // no origin that code might take for granted
};

// Calls the function, with the number of the call, from 0.
class FakeCoder final : public client::Coder {
 public:
  using Behaviour = std::function<absl::Status(uint64_t call, const client::Request& request,
                                               const client::CallOptions& options)>;
  explicit FakeCoder(Behaviour behaviour) : behaviour_(std::move(behaviour)) {}

  absl::Status Run(const client::Request& request, const client::CallOptions& options) override {
    return behaviour_(calls_++, request, options);
  }

 private:
  const Behaviour behaviour_;
  std::atomic<uint64_t> calls_{0};
};

// 4+2 shards of Reed-Solomon.
inline codec::Geometry SomeGeometry() {
  return codec::Geometry::Make(codec::Code::kReedSolomon, 4, 2).value();
}

// One thread, no warm-up, shards of 100 bytes.
inline LoadOptions LoadBy(FakeClock& clock, absl::Duration duration) {
  LoadOptions options;
  options.work.shard_bytes = {{100, 1}};
  options.duration = duration;
  options.warmup = absl::ZeroDuration();
  options.clock = &clock;
  return options;
}

}  // namespace parity::load

#endif  // PARITY_TESTS_LOAD_FAKES_H_
