// Whether a thing is another process's, which this one was forked from.
//
// Key decision: the child counts its fork once, in a handler of pthread_atfork, so that asking
// costs a load instead of a system call.
#ifndef PARITY_CLIENT_POOL_FORK_GUARD_H_
#define PARITY_CLIENT_POOL_FORK_GUARD_H_

#include <atomic>
#include <cstdint>

namespace parity::client {

// A member of what does not survive a fork: threads, locks that they may hold, connections.
// Thread-safe. vfork, _Fork and clone run no handlers and are not seen; nor is any fork if the
// handler cannot be registered, for want of memory.
class ForkGuard {
 public:
  ForkGuard();

  // Whether this process was forked from the one that it was made in, or from a fork of that.
  bool IsInherited() const { return made_at_ != forks.load(std::memory_order_relaxed); }

 private:
  static std::atomic<uint64_t> forks;  // in this process's line, as far as it is known here

  const uint64_t made_at_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_FORK_GUARD_H_
