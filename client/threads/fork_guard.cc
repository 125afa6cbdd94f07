#include "fork_guard.h"

#include <pthread.h>

namespace parity::client {

std::atomic<uint64_t> ForkGuard::forks{0};

ForkGuard::ForkGuard()
    : made_at_([] {
        [[maybe_unused]] static const int kRegistered =
            pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
        return forks.load(std::memory_order_relaxed);
      }()) {}

}  // namespace parity::client
