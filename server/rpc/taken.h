// Whether a peer takes what is sent to it, as far as gRPC lets on.
//
// Key decision: gRPC reports a message when all of it is written, which takes a slow peer long, but
// drops the slices of it one by one. So large answers are cut into pieces, and dropped pieces are
// counted. The acceptor watches the kernel's queues, which show more; this is for peers that grant
// no HTTP/2 window, of which those show nothing.
#ifndef PARITY_RPC_TAKEN_H_
#define PARITY_RPC_TAKEN_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace parity::rpc {

// The pieces of answers to one caller that were taken; they may outlive the caller.
using TakenPieces = std::shared_ptr<std::atomic<uint64_t>>;

// Bytes of a piece, at most.
inline constexpr size_t kPieceBytes = size_t{256} << 10;

// Stall timeouts without a piece taken after which a call is cancelled: a socket's buffer can take
// megabytes at once, and then none for long.
inline constexpr int kQuietLooks = 4;

// One caller's. Not thread-safe.
class StallWatch {
 public:
  const TakenPieces& taken() const { return taken_; }

  // Looks, once every stall timeout; `sending` tells whether something is being sent. True if that
  // has gone on for kQuietLooks without a piece being taken.
  bool Look(bool sending) {
    const uint64_t taken = taken_->load(std::memory_order_relaxed);
    const bool moves = !sending || taken != last_taken_;
    last_taken_ = taken;
    quiet_looks_ = moves ? 0 : quiet_looks_ + 1;
    return quiet_looks_ >= kQuietLooks;
  }

 private:
  TakenPieces taken_ = std::make_shared<std::atomic<uint64_t>>(0);
  uint64_t last_taken_ = 0;
  int quiet_looks_ = 0;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_TAKEN_H_
