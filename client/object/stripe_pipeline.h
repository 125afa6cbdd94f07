// Stripes of an object on their way: begun in order, worked on by threads, ended in order.
//
// Key decision: what is sequential is done by the caller's thread alone, so it needs no locks, and
// the first error by order of stripes is the first one that it meets.
#ifndef PARITY_CLIENT_OBJECT_STRIPE_PIPELINE_H_
#define PARITY_CLIENT_OBJECT_STRIPE_PIPELINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "parity/client/buffer.h"
#include "parity/client/call_options.h"
#include "parity/client/object.h"

namespace parity::client {

// One stripe under way: its cells lie in `memory`, back to back by shard, so that an object's bytes
// do, too.
struct Stripe {
  uint8_t* cell(uint32_t shard) const { return memory.data() + size_t{shard} * cell_bytes; }

  uint64_t number = 0;
  uint32_t cell_bytes = 0;
  uint32_t data_bytes = 0;  // to encode: of the object
  bool reconstructed = false;
  Buffer memory;
};

// When and how an operation ends. Thread-safe.
class RunLimits {
 public:
  // `options` must outlive it.
  explicit RunLimits(const ObjectOptions& options);

  // CANCELLED or DEADLINE_EXCEEDED once the operation has to end.
  absl::Status Check() const;
  // For one call of the coder.
  CallOptions ForCall();
  // Ends the calls.
  void Cancel() { calls_.Cancel(); }

 private:
  const ObjectOptions& options_;
  Cancellation calls_;
  Cancellation::Listener listener_;
};

class StripeSteps {
 public:
  enum class Begun : uint8_t { kNone, kMore, kLast };

  virtual ~StripeSteps() = default;
  // By the caller's thread, in order: sets the stripe up. kNone: there is none of that number.
  // kLast: nor will there be another.
  virtual absl::StatusOr<Begun> Begin(Stripe& stripe) = 0;
  // By any thread, several stripes at once.
  virtual absl::Status Work(Stripe& stripe) = 0;
  // By the caller's thread, in order.
  virtual absl::Status End(Stripe& stripe) = 0;
};

// Starts a thread that runs `body`, or throws std::system_error.
using StartThread = std::function<std::thread(std::function<void()> body)>;
std::thread StartOrdinaryThread(std::function<void()> body);

// Takes stripes 0, 1, ... through the steps, options.stripes_in_flight at a time, each in
// `stripe_bytes` bytes of memory. Returns the first error by order of stripes, when all work has
// ended.
absl::Status RunStripes(StripeSteps& steps, size_t stripe_bytes, const ObjectOptions& options,
                        RunLimits& limits, const StartThread& start = StartOrdinaryThread);

// INVALID_ARGUMENT naming the option.
absl::Status CheckOptions(const ObjectOptions& options);

}  // namespace parity::client

#endif  // PARITY_CLIENT_OBJECT_STRIPE_PIPELINE_H_
