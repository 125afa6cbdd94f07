#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace parity::cli {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> interrupt_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler sets these");

void OnSignal(int signal) {
  int none = 0;
  interrupt_signal.compare_exchange_strong(none, signal);
  interrupted = true;
}

}  // namespace

void HandleInterrupts() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = OnSignal;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

const std::atomic<bool>& Interrupted() { return interrupted; }

int InterruptSignal() { return interrupt_signal; }

}  // namespace parity::cli
