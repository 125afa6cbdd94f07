// A program that the bench runs beside itself.
#ifndef PARITY_SERVER_BENCH_CHILD_PROCESS_H_
#define PARITY_SERVER_BENCH_CHILD_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace parity::bench {

struct Command {
  std::vector<std::string> arguments;  // the first is the program's path
  std::string output_path;             // takes standard output and standard error
  // Leaves out of the environment what changes gRPC's settings.
  bool stock_grpc = false;
};

// Killed when this is destroyed, and when the bench dies. Not thread-safe.
class ChildProcess {
 public:
  // By fork and exec: nothing of gRPC's state is used in between. NOT_FOUND if there is no such
  // program; other errors if there can be no process.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(const Command& command);

  ~ChildProcess();

  pid_t pid() const { return pid_; }
  // What it has printed so far.
  std::string Output() const;
  bool has_ended();
  // Waits for its end. The exit code, or 128 and the signal that ended it.
  int Wait();
  // Asks it to end, and waits for that.
  int Terminate();

 private:
  ChildProcess(pid_t pid, std::string output_path)
      : pid_(pid), output_path_(std::move(output_path)) {}

  const pid_t pid_;
  const std::string output_path_;
  bool ended_ = false;
  int exit_code_ = 0;
};

// What a program prints, and its exit code is of no interest: "" if it cannot be run.
std::string OutputOf(const Command& command);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_CHILD_PROCESS_H_
