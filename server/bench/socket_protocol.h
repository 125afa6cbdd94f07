// What the two sides of the bare-socket yardstick say to each other.
//
// Key decision: the least that does the job of the service: a connection says once what its stripes
// are like, and every request and reply is a header and the bytes of the shards.
#ifndef PARITY_SERVER_BENCH_SOCKET_PROTOCOL_H_
#define PARITY_SERVER_BENCH_SOCKET_PROTOCOL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace parity::bench {

// Opens a connection. Byte order and layout are the machine's: both sides are the same program.
struct SocketGreeting {
  uint32_t code;
  uint32_t data_shards;
  uint32_t parity_shards;
  uint32_t stripes;
  uint64_t shard_bytes;
  uint64_t gather;  // replies that the server puts into one write, at most
};

// In front of every request and reply.
struct SocketHeader {
  uint32_t bytes;  // that follow
  uint32_t id;     // the client's; a reply has that of its request
};

// As much is read at once, as by the service; or one message, if that is more.
inline constexpr size_t kSocketReadBytes = 256 << 10;

// How many messages of so many bytes, headers included, a read buffer holds.
inline size_t MessagesInBuffer(size_t message_bytes) {
  return std::max<size_t>(1, kSocketReadBytes / message_bytes);
}

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SOCKET_PROTOCOL_H_
