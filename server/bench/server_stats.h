// What the server says it has done.
#ifndef PARITY_SERVER_BENCH_SERVER_STATS_H_
#define PARITY_SERVER_BENCH_SERVER_STATS_H_

#include <string>

#include "absl/status/statusor.h"
#include "parity/endpoint/endpoint.h"

namespace parity::bench {

// How long the runs were that the kernels read, and how their sources lay to the lines of memory:
// GetServerStats as a table. UNIMPLEMENTED if the server does not have the method.
absl::StatusOr<std::string> DescribeRuns(const endpoint::Endpoint& server);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SERVER_STATS_H_
