// The command line.
#ifndef PARITY_SERVER_BENCH_OPTIONS_H_
#define PARITY_SERVER_BENCH_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "compare.h"
#include "naive_role.h"
#include "setup.h"
#include "shm_grid.h"

namespace parity::bench {

enum class Scenario { kNone, kMixed, kHalfLoad, kOverload, kIdle, kWorkers };

// What the process is: the bench, or a program that the bench runs beside itself.
enum class Role { kBench, kSocketServer, kNaiveServer, kNaiveClient };

struct Options {
  explicit Options(Setup all) : setup(std::move(all)) {}

  Setup setup;
  std::vector<Row> rows;               // to measure, if there is no scenario
  std::vector<ShmRow> shm_rows;        // if not empty, to measure instead of these
  std::optional<absl::Duration> spin;  // of the ring, if not its own
  Scenario scenario = Scenario::kNone;
  uint64_t max_held_bytes = 0;
  Role role = Role::kBench;
  std::vector<endpoint::Endpoint> listen;  // of a server's role
  NaiveClientArguments naive_client;
};

// The options, or the exit code if there is nothing more to do: help was printed (0), or what is
// wrong, by the name of the option (2).
std::variant<Options, int> ParseOptions(int argc, char** argv);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_OPTIONS_H_
