#include "child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(bool stock_grpc) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (!stock_grpc || !absl::StartsWith(*variable, "GRPC_")) variables.emplace_back(*variable);
  }
  return variables;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(const Command& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> variables = Environment(command.stock_grpc);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(variables);
  if (access(argv[0], X_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(arguments[0], ": not a program that can be run"));
  }
  const int output =
      open(command.output_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (output < 0) return absl::ErrnoToStatus(errno, command.output_path);
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
  const int error = errno;
  close(output);
  if (pid < 0) return absl::ErrnoToStatus(error, "fork");
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, command.output_path));
}

ChildProcess::~ChildProcess() {
  if (has_ended()) return;
  kill(pid_, SIGKILL);
  Wait();
}

std::string ChildProcess::Output() const {
  std::ostringstream text;
  text << std::ifstream(output_path_).rdbuf();
  return text.str();
}

bool ChildProcess::has_ended() {
  int status;
  if (!ended_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = true;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return ended_;
}

int ChildProcess::Wait() {
  int status;
  while (!ended_) {
    if (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
    ended_ = true;
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return exit_code_;
}

int ChildProcess::Terminate() {
  if (!has_ended()) kill(pid_, SIGTERM);
  return Wait();
}

std::string OutputOf(const Command& command) {
  const absl::StatusOr<std::unique_ptr<ChildProcess>> child = ChildProcess::Start(command);
  if (!child.ok()) return "";
  (*child)->Wait();
  return (*child)->Output();
}

}  // namespace parity::bench
