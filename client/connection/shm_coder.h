// What a connection does by shared memory: which ring is used, when there is one, and what happens
// to a stripe when it is lost.
#ifndef PARITY_CLIENT_SHM_CODER_H_
#define PARITY_CLIENT_SHM_CODER_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
#include "parity/client/connection.h"
#include "shared_ring.h"
#include "stripe_run.h"

namespace parity::client {

// Thread-safe.
class ShmCoder {
 public:
  // Does not connect yet. REQUIRES: the target is a Unix socket, and memory is wanted.
  ShmCoder(const std::string& target, const ConnectionOptions& options);
  // The ring ends; its memory stays while buffers have it.
  ~ShmCoder();

  // Runs the stripe, over a second ring if the first is lost. Unset if what is left of it, from
  // run.done() on, is to be done without shared memory.
  std::optional<absl::Status> Run(StripeRun& run, absl::Time deadline);

  // From the region if there is one and it has room; else ordinary memory. RESOURCE_EXHAUSTED.
  absl::StatusOr<Buffer> Allocate(size_t bytes, absl::Time deadline);

  // Whether stripes go through shared memory, or may do so when they come.
  bool IsUsable();

  // To be called when the server has answered without shared memory: gives notice, once, of why
  // that was.
  void AnsweredInline();

 private:
  // The ring, connected if there is none and it is time to try. Null if there is none.
  std::shared_ptr<SharedRing> GetRing(absl::Time deadline);

  const RingOptions options_;
  const std::function<void(const std::string&)> notice_;

  std::mutex mutex_;  // of all below
  std::condition_variable connected_;
  bool connecting_ = false;
  std::shared_ptr<SharedRing> ring_;
  absl::Time next_attempt_ = absl::InfinitePast();
  absl::Status failure_;  // of the last attempt
  bool has_given_notice_ = false;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_SHM_CODER_H_
