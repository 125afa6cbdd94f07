// What a worker has done, for GetServerStats.
#ifndef PARITY_RPC_COUNTERS_H_
#define PARITY_RPC_COUNTERS_H_

#include "parity/engine/counter.h"

namespace parity::rpc {

// As parity.v1.GetServerStatsResponse has them.
struct Counters {
  engine::Counter requests;
  engine::Counter stripes;
  engine::Counter source_bytes;
  engine::Counter refused_requests;
  engine::Counter dropped_requests;
  engine::Counter failed_requests;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_COUNTERS_H_
