// What keeps one connection busy.
#ifndef PARITY_SERVER_BENCH_LOAD_H_
#define PARITY_SERVER_BENCH_LOAD_H_

#include <atomic>
#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "job.h"
#include "parity/kernels/kernel_table.h"
#include "parity/timing/latency_histogram.h"
#include "sources.h"

namespace parity::bench {

// What to send, where it comes from, and what checks the answers.
struct Workload {
  Job job;
  Sources sources;
  const kernels::KernelTable* table;
};

// A load that gets no answer for so long has failed.
inline constexpr std::chrono::seconds kPatience{20};

// Set by whoever runs loads, read by them.
struct LoadControl {
  std::atomic<bool> recording{false};  // latencies are kept
  std::atomic<bool> stopping{false};   // nothing new is sent
};

// Written by a load. The counts may be read at any time, the latencies once it has returned.
struct Meter {
  std::atomic<uint64_t> answers{0};    // requests answered with their parity
  std::atomic<uint64_t> refused{0};    // RESOURCE_EXHAUSTED, where the load goes on
  std::atomic<uint64_t> failed{0};     // answered otherwise, where the load goes on regardless
  timing::LatencyHistogram latencies;  // of answers
};

// A client on a connection of its own.
class Load {
 public:
  virtual ~Load() = default;

  // Sends requests and checks the answers until it is told to stop and the last is there, on the
  // calling thread. Called once. DATA_LOSS if an answer is wrong, UNIMPLEMENTED if the server does
  // not have the method; other errors if the connection or a call failed.
  virtual absl::Status Run(const LoadControl& control, Meter& meter) = 0;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_LOAD_H_
