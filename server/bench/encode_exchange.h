// The messages of Encode, and of Process where it carries them, without a copy of the shards.
#ifndef PARITY_SERVER_BENCH_ENCODE_EXCHANGE_H_
#define PARITY_SERVER_BENCH_ENCODE_EXCHANGE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "job.h"
#include "parity/codec/shard.h"
#include "parity/wire/message_writer.h"

namespace parity::bench {

// What came for one request. The parity points into the buffer that it was read from.
struct Answer {
  uint64_t id = 0;                     // Process only
  std::vector<codec::Segment> parity;  // of all stripes, back to back
};

// Builds requests and reads answers for one job. The shards travel packed. Not thread-safe.
class EncodeExchange {
 public:
  explicit EncodeExchange(const Job& job);

  // Requests that refer to the k * stripes shards at `sources`, which lie back to back and must be
  // there as long as the process.
  grpc::ByteBuffer UnaryRequest(const uint8_t* sources);
  grpc::ByteBuffer StreamRequest(uint64_t id, const uint8_t* sources);

  // The contents of `answer` are replaced. DATA_LOSS if the message is not well-formed; for a
  // request of a stream that was answered with an error, that error.
  absl::Status ReadUnary(grpc::ByteBuffer& message, Answer& answer);
  absl::Status ReadStream(grpc::ByteBuffer& message, Answer& answer);

 private:
  const size_t source_bytes_;
  grpc::Slice header_;  // an EncodeRequest up to its packed shards
  wire::MessageWriter writer_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_ENCODE_EXCHANGE_H_
