#include "interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/shardfile/output_file.h"
#include "terminal.h"

namespace parity::cli {
namespace {

std::atomic<int> interrupt_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler sets it");
int event = -1;  // readable for good once a signal has come

void OnSignal(int signal) {
  const int error_number = errno;
  int none = 0;
  interrupt_signal.compare_exchange_strong(none, signal);
  const uint64_t one = 1;
  static_cast<void>(!write(event, &one, sizeof(one)));
  errno = error_number;
}

void CancelOnSignal() {
  struct pollfd signalled = {event, POLLIN, 0};
  while (poll(&signalled, 1, -1) != 1) {
  }
  Interruption().Cancel();
  absl::SleepFor(kTimeToEnd);
  shardfile::OutputFile::AbandonAll();
  _exit(FailAsInterrupted());
}

}  // namespace

void HandleInterrupts() {
  event = eventfd(0, EFD_CLOEXEC);
  if (event < 0) return;
  std::thread(CancelOnSignal).detach();
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

client::Cancellation& Interruption() {
  static client::Cancellation& interruption = *new client::Cancellation;
  return interruption;
}

int InterruptSignal() { return interrupt_signal; }

int FailAsInterrupted() {
  EraseBar();
  PrintNotice(absl::StrCat("interrupted by signal ", InterruptSignal()));
  return 128 + InterruptSignal();
}

absl::Status WaitForInput(int descriptor) {
  struct pollfd waited[] = {{descriptor, POLLIN, 0}, {event, POLLIN, 0}};
  while (poll(waited, 2, -1) < 1) {
  }
  if (waited[1].revents != 0) return absl::CancelledError("interrupted");
  return absl::OkStatus();
}

}  // namespace parity::cli
