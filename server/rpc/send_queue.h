// Whether a connection's peer takes what waits for it in the kernel.
//
// Key decision: over TCP the kernel counts what the peer has acknowledged. Over a Unix socket it
// tells only how much waits, and a peer that takes everything now and then can leave the same
// amount waiting at every look as one that takes nothing. So once the amount has stayed the same,
// the buffer is made smaller than it, so that a refill shows; where so little waits that nothing
// holds the sender up, the kernel's event of room in the buffer shows what is taken.
#ifndef PARITY_RPC_SEND_QUEUE_H_
#define PARITY_RPC_SEND_QUEUE_H_

#include <cstdint>

namespace parity::rpc {

class SendQueue {
 public:
  // `fd` stays the caller's.
  SendQueue(int fd, bool is_unix) : fd_(fd), is_unix_(is_unix) {}

  // True if nothing waits, or something was taken since the last call. On a Unix socket the kernel
  // frees what was sent in pieces of up to 36 KiB, so less than that may not show. One or two
  // system calls.
  bool Moves();

  // To be called when Moves() was false for the first time. True: what is taken will be reported as
  // EPOLLOUT, edge-triggered, on the descriptor; see Event.
  bool Suspect();

  // An EPOLLOUT after Suspect() was true: whether it shows that something was taken. The first one
  // may only say that there is room.
  bool Event();

  // Undoes Suspect().
  void Clear();

 private:
  const int fd_;
  const bool is_unix_;
  uint64_t waiting_ = 0;  // bytes, with the kernel's overhead on a Unix socket
  uint64_t acknowledged_ = 0;
  bool narrowed_ = false;
  bool first_event_ = false;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_SEND_QUEUE_H_
