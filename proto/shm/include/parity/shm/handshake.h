// How a client gets its memory: messages on a Unix socket of type SOCK_SEQPACKET.
//
//   client                                  server
//   Hello, as soon as it has connected
//                                           Welcome, with descriptors if it has memory for it:
//                                           submissions, completions, region
//   Mapped, when it has mapped the first
//   and the last of them writable
//                                           Sealed: nobody can map them writable any more, or
//                                           take pages from them; records may come
//
// A server that refuses sends a Welcome that says why and closes. So does it with a client that
// does not keep to this within a few seconds. Numbers are in host order.
#ifndef PARITY_SHM_HANDSHAKE_H_
#define PARITY_SHM_HANDSHAKE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/endpoint/descriptor.h"

namespace parity::shm {

// The socket's path is that of the gRPC socket with this appended.
inline constexpr char kPathSuffix[] = ".shm";

inline constexpr uint64_t kMagic = 0x6d68732d79746970;  // "pity-shm", as bytes
inline constexpr uint32_t kVersion = 1;                 // of messages and layout

struct Hello {
  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  int32_t node = -1;          // the NUMA node wanted for the region; -1: any
  uint64_t region_bytes = 0;  // wanted; the server rounds up to whole pages
};

struct Welcome {
  static constexpr size_t kMaxTextBytes = 200;

  uint64_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t code = 0;    // 0, or the absl::StatusCode of the refusal
  uint64_t region = 0;  // its id, for requests over gRPC. Who knows it may use the region
  uint64_t region_bytes = 0;
  uint64_t submissions_bytes = 0;  // of the memories, in whole pages
  uint64_t completions_bytes = 0;
  uint32_t node = 0;              // that the region is on
  char text[kMaxTextBytes] = {};  // of the refusal, ended by a zero
};

struct Mapped {
  uint64_t magic = kMagic;
};

struct Sealed {
  uint64_t magic = kMagic;
};

// Sends a message as one packet, without waiting and without a signal. An error of the operating
// system is returned as it is.
absl::Status Send(int socket, const void* message, size_t bytes,
                  absl::Span<const int> descriptors = {});
template <class Message>
absl::Status Send(int socket, const Message& message, absl::Span<const int> descriptors = {}) {
  return Send(socket, &message, sizeof message, descriptors);
}

// Receives one packet, and in `descriptors` those that came with it, 8 at most; null: those that
// come are closed. UNAVAILABLE if the peer has closed the connection, INVALID_ARGUMENT if the
// packet is not `bytes` long or had more descriptors; else an error of the operating system,
// RESOURCE_EXHAUSTED if a non-blocking socket has none.
absl::Status Receive(int socket, void* message, size_t bytes,
                     std::vector<endpoint::Descriptor>* descriptors = nullptr);
template <class Message>
absl::Status Receive(int socket, Message& message,
                     std::vector<endpoint::Descriptor>* descriptors = nullptr) {
  absl::Status status = Receive(socket, &message, sizeof message, descriptors);
  if (status.ok() && message.magic != kMagic) {
    return absl::InvalidArgumentError("not a message of parityd's shared memory");
  }
  return status;
}

// One byte, to wake the other side if it sleeps. What does not fit is dropped: then enough bytes
// are there already.
void Wake(int socket);
// Takes what is there of these bytes, but no more than a few dozen. False if the peer has closed
// the connection or it has failed.
bool TakeWakes(int socket);

}  // namespace parity::shm

#endif  // PARITY_SHM_HANDSHAKE_H_
