// What a worker has done, for Server::stats.
#ifndef PARITY_RINGS_COUNTERS_H_
#define PARITY_RINGS_COUNTERS_H_

#include <atomic>
#include <cstdint>

#include "parity/engine/counter.h"
#include "parity/engine/stripe_job.h"

namespace parity::rings {

struct Counters {
  engine::Counter records;
  engine::Counter failed_records;
  engine::Counter stripes;
  engine::Counter source_bytes;
  engine::Counter dropped_clients;

  void Ran(const engine::StripeJob& job) {
    records.Add(1);
    stripes.Add(job.stripes());
    source_bytes.Add(job.source_bytes());
  }
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_COUNTERS_H_
