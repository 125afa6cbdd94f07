// One row: the subject beside the yardsticks.
#ifndef PARITY_SERVER_BENCH_COMPARE_H_
#define PARITY_SERVER_BENCH_COMPARE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "grid.h"
#include "load.h"
#include "server_process.h"
#include "setup.h"

namespace parity::bench {

// What is not set was not measured.
struct Result {
  Row row;
  std::optional<double> gbps;  // 10^9 bytes of data shards a second: the median of the rounds
  std::optional<double> socket_gbps;
  std::optional<double> naive_gbps;
  std::optional<double> stripes_per_s;
  std::optional<double> p50_us;  // of a request, over all rounds
  std::optional<double> p99_us;
  std::optional<double> server_cpu_s_per_gb;
  std::string note;  // why the subject was not measured

  std::optional<double> ratio() const;  // to the bare socket
};

// The three servers, running.
struct Servers {
  std::unique_ptr<ServerProcess> subject;
  std::unique_ptr<ServerProcess> socket;
  std::unique_ptr<ServerProcess> naive;
};

absl::StatusOr<Servers> StartServers(const Setup& setup);

// Measures the row in rounds, in each of which every program has its turn. DATA_LOSS if an answer
// is wrong; a method that the server does not have is no error, but leaves its figures out.
absl::StatusOr<Result> Compare(const Setup& setup, const Servers& servers, const Row& row,
                               const Sources& sources);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_COMPARE_H_
