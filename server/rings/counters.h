// What a worker has done, for Server::snapshot.
#ifndef PARITY_RINGS_COUNTERS_H_
#define PARITY_RINGS_COUNTERS_H_

#include "parity/engine/answer_counts.h"
#include "parity/engine/busy_clock.h"
#include "parity/engine/counter.h"

namespace parity::rings {

struct Counters {
  engine::AnswerCounts answers;
  engine::Counter dropped_requests;  // of clients that had gone
  engine::Counter dropped_clients;
  engine::BusyClock busy;
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_COUNTERS_H_
