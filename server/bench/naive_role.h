// The naive client as a process of its own.
#ifndef PARITY_SERVER_BENCH_NAIVE_ROLE_H_
#define PARITY_SERVER_BENCH_NAIVE_ROLE_H_

#include "absl/status/statusor.h"
#include "grid.h"
#include "server_process.h"
#include "setup.h"

namespace parity::bench {

// Requests a second that the naive client gets from the server in one round of a row.
absl::StatusOr<double> NaiveRate(const Setup& setup, const ServerProcess& server, const Row& row);

// The other side of it: what that process is told, and prints.
struct NaiveClientArguments {
  std::string target;
  std::string mode;
  size_t shard_bytes = 0;
  size_t stripes = 1;
};
absl::Status RunNaiveClientRole(const Setup& setup, const NaiveClientArguments& arguments);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_NAIVE_ROLE_H_
