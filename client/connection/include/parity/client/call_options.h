// How one call is made.
#ifndef PARITY_CLIENT_CALL_OPTIONS_H_
#define PARITY_CLIENT_CALL_OPTIONS_H_

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace parity::client {

// Ends calls. Thread-safe; once cancelled it stays so.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Calls that have it end soon, with CANCELLED unless they were done. Returns when the callbacks
  // have.
  void Cancel();
  bool is_cancelled() const { return cancelled_.load(std::memory_order_acquire); }

  // While it lives, `callback` is run when Cancel is called, by the thread that calls it; at once
  // if it was called before. Its destructor waits for the callback, which must not destroy it.
  class Listener {
   public:
    // With no cancellation (null) it does nothing.
    Listener(Cancellation* cancellation, std::function<void()> callback);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

   private:
    Cancellation* const cancellation_;
    std::list<std::function<void()>>::iterator place_;
  };

 private:
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;  // of the next
  std::list<std::function<void()>> callbacks_;
};

struct CallOptions {
  // When the call must have ended. A coder that has a deadline of its own for calls takes the
  // earlier one.
  absl::Time deadline = absl::InfiniteFuture();
  // Ends the call. Null: nothing does. Must outlive the call. Parity that is being computed in this
  // process or through shared memory is waited for, which takes milliseconds; of a server that is
  // frozen, until the deadline.
  Cancellation* cancellation = nullptr;
  // The trace that the call belongs to, as W3C Trace Context has it ("00-...-...-01"): sent to
  // servers as the metadata "traceparent", but not through shared memory. Empty: none.
  // INVALID_ARGUMENT naming "traceparent" if it is not well-formed.
  std::string traceparent = {};
};

bool IsTraceparent(std::string_view text);
// OK also if there is none.
absl::Status CheckTraceparent(const CallOptions& options);

}  // namespace parity::client

#endif  // PARITY_CLIENT_CALL_OPTIONS_H_
