// What a worker has done, for Server::snapshot.
#ifndef PARITY_RPC_COUNTERS_H_
#define PARITY_RPC_COUNTERS_H_

#include <atomic>
#include <cstdint>

#include "parity/engine/answer_counts.h"
#include "parity/engine/busy_clock.h"
#include "parity/engine/counter.h"

namespace parity::rpc {

struct Counters {
  engine::AnswerCounts answers;
  engine::Counter refused_requests;
  engine::Counter dropped_requests;
  engine::BusyClock busy;
  std::atomic<uint64_t> unanswered_calls{0};
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_COUNTERS_H_
