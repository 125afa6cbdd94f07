#include "parityd_process.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "gtest/gtest.h"

namespace parity::capi {

ParitydProcess::ParitydProcess() {
  char name[] = "/tmp/parity-capi-test.XXXXXX";
  directory_ = mkdtemp(name);
  int log[2];
  EXPECT_EQ(pipe(log), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, log[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, log[0]);
  posix_spawn_file_actions_addclose(&actions, log[1]);
  std::string program = PARITYD, listen = "--listen", address = target();
  char* const arguments[] = {program.data(), listen.data(), address.data(), nullptr};
  EXPECT_EQ(posix_spawn(&process_, PARITYD, &actions, nullptr, arguments, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(log[1]);
  FILE* const lines = fdopen(log[0], "r");
  char line[4096];
  bool is_ready = false;
  while (!is_ready && fgets(line, sizeof line, lines) != nullptr) {
    is_ready = std::string(line).find(" ready\n") != std::string::npos;
  }
  EXPECT_TRUE(is_ready) << "parityd ended without being ready";
  // What it says later is read, so that it can go on; until it ends.
  std::thread([lines] {
    char rest[4096];
    while (fgets(rest, sizeof rest, lines) != nullptr) {
    }
    fclose(lines);
  }).detach();
}

ParitydProcess::~ParitydProcess() {
  Kill();
  std::filesystem::remove_all(directory_);
}

void ParitydProcess::Freeze() {
  kill(process_, SIGSTOP);
  siginfo_t stopped;
  EXPECT_EQ(waitid(P_PID, process_, &stopped, WSTOPPED | WNOWAIT), 0);
}

void ParitydProcess::Kill() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

}  // namespace parity::capi
