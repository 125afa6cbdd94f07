// What the server bounds, and at what.
#ifndef PARITY_RPC_LIMITS_H_
#define PARITY_RPC_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "parity/wire/limits.h"

namespace parity::rpc {

// Every limit is an option of parityd and is reported by GetServerInfo.
struct Limits {
  // The longest request or answer.
  uint64_t max_message_bytes = wire::kMaxMessageBytes;

  // Calls under way on one connection; clients keep further ones waiting. More would let one client
  // hold more memory.
  int max_calls_per_connection = wire::kMaxCallsPerConnection;

  // Requests of one Process stream that are unanswered before the server stops reading it.
  uint32_t max_requests_per_stream = 64;

  // Bytes of requests and answers that are held at one time; what is beyond is refused with
  // RESOURCE_EXHAUSTED and a time to try again. One connection may hold as much as is still free.
  // gRPC may hold as much again of what has not yet arrived in full; beyond that it cancels calls,
  // with RESOURCE_EXHAUSTED too, but no time. In all, memory stays below three times this and some
  // 50 MiB.
  uint64_t max_held_bytes = uint64_t{1} << 30;

  // Connections; others wait in the backlog. 0: as the limit of open files allows.
  uint64_t max_connections = 0;

  // A connection whose peer takes none of what the kernel holds for it for so long (and up to an
  // eighth longer) is closed: gRPC itself would keep it, and the answers with it. On a Unix socket
  // less than 36 KiB in that time may count as none. Zero: never.
  absl::Duration stall_timeout = absl::Seconds(30);

  // A connection without calls is closed after so long. Zero: never.
  absl::Duration max_connection_idle = absl::ZeroDuration();

  // A connection is asked to end after so long, 10 % more or less, and has as long again to finish
  // its calls: clients that connect anew find new servers. Zero: never.
  absl::Duration max_connection_age = absl::ZeroDuration();

  // After so long without a sign of life the peer is pinged, also without calls, and the connection
  // closed if it does not answer within 20 s. gRPC pings at most once a second. Zero: never.
  absl::Duration keepalive = absl::Seconds(60);

  // A client may ping no more often than this; at the third ping that comes too soon it is sent
  // away with "too_many_pings". What the server sends it starts the count anew. The client library
  // pings every 30 s. Zero: as often as it likes.
  absl::Duration min_ping_interval = absl::Seconds(10);
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_LIMITS_H_
