// A request that two servers are asked for: the first answer counts.
//
// Key decision: each writes to memory of its own, and whoever is late is called off and waited for.
// So nothing is written to the caller's memory, or read from it, once the call has returned.
#ifndef PARITY_CLIENT_HEDGE_H_
#define PARITY_CLIENT_HEDGE_H_

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
#include "parity/client/call_options.h"
#include "parity/client/request.h"

namespace parity::client {

class Hedge {
 public:
  using Attempt = std::function<absl::Status(const Request&, const CallOptions&)>;

  // REQUIRES: the request reads its shards only: it is no update.
  Hedge(const Request& request, const CallOptions& options);

  // By a thread of its own; calls the second off if it succeeds.
  void RunFirst(const Attempt& attempt);

  // All below by the thread of the caller. Whether the first has ended by then.
  bool AwaitFirst(absl::Time until);
  // Unless there is no memory for its outputs; calls the first off if it succeeds.
  void RunSecond(const Attempt& attempt);
  // How the request has ended. REQUIRES: the first is under way or has ended.
  absl::Status AwaitBoth();
  bool second_won() const { return second_won_; }

 private:
  const Request& request_;
  const CallOptions options_;
  Cancellation cancel_first_;
  Cancellation cancel_second_;
  Cancellation::Listener on_cancel_;

  std::mutex mutex_;  // of the next two
  std::condition_variable ended_;
  std::optional<absl::Status> first_;

  std::optional<absl::Status> second_;
  bool second_won_ = false;
  Buffer memory_;  // of the second's outputs
  codec::VerifyReport second_report_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_HEDGE_H_
