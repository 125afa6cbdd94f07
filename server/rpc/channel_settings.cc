#include "channel_settings.h"

#include <algorithm>
#include <climits>

#include "absl/time/time.h"

namespace parity::rpc {
namespace {

// A message that is too long by less than this is read and refused with an error that names the
// limit and the way out; gRPC itself cuts off longer ones with RESOURCE_EXHAUSTED and the two
// sizes.
constexpr uint64_t kRefusedMessageBytes = 16 << 20;

// Reads large enough for a whole message of up to 256 KiB to arrive as one slice.
constexpr int kReadChunkBytes = 256 << 10;
constexpr int kMaxReadChunkBytes = 1 << 20;

constexpr absl::Duration kPingTimeout = absl::Seconds(20);

// Pings that come too soon before a client is sent away. Sending it anything forgives all of them.
constexpr int kMaxPingStrikes = 2;

int Bytes(uint64_t bytes) { return static_cast<int>(std::min<uint64_t>(bytes, INT_MAX)); }

int Milliseconds(absl::Duration duration) {
  const absl::Duration up = absl::Ceil(duration, absl::Milliseconds(1));
  return static_cast<int>(std::clamp<int64_t>(absl::ToInt64Milliseconds(up), 0, INT_MAX));
}

// Of a time at which something happens; zero is never, for which gRPC says INT_MAX.
int MillisecondsOrNever(absl::Duration duration) {
  return duration == absl::ZeroDuration() ? INT_MAX : Milliseconds(duration);
}

}  // namespace

void ApplySettings(grpc::ServerBuilder& builder, const Limits& limits) {
  builder.SetMaxReceiveMessageSize(Bytes(limits.max_message_bytes + kRefusedMessageBytes));
  builder.SetMaxSendMessageSize(Bytes(limits.max_message_bytes));
  // A compressed message is refused, not expanded: gRPC applies the limit to what comes out.
  builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.AddChannelArgument(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadChunkBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MIN_READ_CHUNK_SIZE, kReadChunkBytes);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kMaxReadChunkBytes);

  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.max_calls_per_connection);

  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, MillisecondsOrNever(limits.keepalive));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(kPingTimeout));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // gRPC would stop after two pings to a client that has no calls.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Milliseconds(limits.min_ping_interval));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, kMaxPingStrikes);

  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS,
                             MillisecondsOrNever(limits.max_connection_idle));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                             MillisecondsOrNever(limits.max_connection_age));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                             MillisecondsOrNever(limits.max_connection_age));
}

}  // namespace parity::rpc
