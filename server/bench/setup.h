// What every measurement of one run has in common.
#ifndef PARITY_SERVER_BENCH_SETUP_H_
#define PARITY_SERVER_BENCH_SETUP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "load.h"
#include "parity/codec/geometry.h"
#include "parity/kernels/kernel_table.h"
#include "scratch_directory.h"
#include "server_process.h"

namespace parity::bench {

// What is measured: parityd or, to check the bench itself, the naive server under the tuned client.
enum class Subject { kParityd, kNaive };

struct Setup {
  std::string bench_path;  // this program
  std::string parityd_path;
  std::vector<std::string> parityd_options;  // besides those that a measurement needs
  codec::Geometry geometry;
  const kernels::KernelTable* table;
  absl::Duration duration;  // of a round
  int rounds;
  int depth;        // 0: DefaultDepth
  int connections;  // of the idle scenario
  bool json;
  Subject subject;
  int gather;                                 // of the bare-socket yardstick
  std::unique_ptr<ScratchDirectory> scratch;  // null in a role
};

// The subject: parityd with these arguments besides the kernels and the addresses. `name` is unique
// in a run.
absl::StatusOr<std::unique_ptr<ServerProcess>> StartSubject(
    const Setup& setup, absl::string_view name, const std::vector<std::string>& arguments = {});

// Whether the subject has the option.
bool SubjectHas(const Setup& setup, absl::string_view option);

// The bench itself as another server: "socket-server" or "naive-server".
absl::StatusOr<std::unique_ptr<ServerProcess>> StartRole(const Setup& setup,
                                                         const std::string& role);

// Requests of `stripes` stripes. Makes new sources: 64 MiB or more that are not given back.
absl::StatusOr<Workload> MakeWorkload(const Setup& setup, size_t shard_bytes, size_t stripes = 1);

// What --depth says, or what suits the job.
int DepthOf(const Setup& setup, const Job& job);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SETUP_H_
