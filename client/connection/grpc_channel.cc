#include "grpc_channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "grpc/grpc.h"
#include "grpcpp/create_channel_posix.h"
#include "grpcpp/support/channel_arguments.h"
#include "parity/endpoint/lookup.h"
#include "parity/endpoint/socket.h"
#include "parity/wire/limits.h"

namespace parity::client {
namespace {

constexpr int64_t kPingTimeoutMs = 20'000;

// How often a connect looks whether it is still wanted.
constexpr int kConnectStepMs = 50;

// How long one look at an idle connection lasts: enough to read a ping and answer it.
constexpr std::chrono::milliseconds kReadTime{1};

int MillisecondsOrNever(absl::Duration duration) {
  if (duration == absl::ZeroDuration()) return INT_MAX;
  const absl::Duration up = absl::Ceil(duration, absl::Milliseconds(1));
  return static_cast<int>(std::clamp<int64_t>(absl::ToInt64Milliseconds(up), 1, INT_MAX));
}

// Milliseconds until `deadline`, as poll takes them: rounded up, at least 0.
int MillisecondsUntil(absl::Time deadline) {
  const absl::Duration left = absl::Ceil(deadline - absl::Now(), absl::Milliseconds(1));
  return static_cast<int>(std::clamp<int64_t>(absl::ToInt64Milliseconds(left), 0, INT_MAX));
}

// 0 once connected, else an errno.
int AwaitConnected(int socket, const sockaddr* address, socklen_t bytes, absl::Time deadline,
                   absl::FunctionRef<bool()> gives_up) {
  if (connect(socket, address, bytes) == 0) return 0;
  // A Unix socket says EAGAIN when the server's backlog is full.
  if (errno != EINPROGRESS) return errno;
  pollfd waiting = {socket, POLLOUT, 0};
  int ready = 0;
  while (ready <= 0) {
    ready = poll(&waiting, 1, std::min(MillisecondsUntil(deadline), kConnectStepMs));
    if (ready < 0 && errno != EINTR) return errno;
    if (ready == 0 && (absl::Now() >= deadline || gives_up())) return ETIMEDOUT;
  }
  int error_number = 0;
  socklen_t error_bytes = sizeof error_number;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error_number, &error_bytes);
  return error_number;
}

// A connected, non-blocking socket, or -1 with errno set.
int Connect(const sockaddr* address, socklen_t bytes, absl::Time deadline,
            absl::FunctionRef<bool()> gives_up) {
  const int family = address->sa_family;
  const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  const int error_number = AwaitConnected(descriptor, address, bytes, deadline, gives_up);
  if (error_number == 0) {
    endpoint::TuneSocket(descriptor, family == AF_UNIX);
    return descriptor;
  }
  close(descriptor);
  errno = error_number;
  return -1;
}

// gRPC ends its threads with its last object and waits for them; after a peer that did not read,
// one of them polls for up to 10 s more. So gRPC, once used, stays.
void KeepGrpc() {
  static const bool kKept = (grpc_init(), true);
  static_cast<void>(kKept);
}

absl::Status Unreachable(const endpoint::Endpoint& endpoint, absl::string_view why) {
  return absl::UnavailableError(absl::StrCat(endpoint.ToString(), ": ", why));
}

// A server that has let all the time pass is worse than one that refuses, which costs none.
absl::Status NotConnected(const endpoint::Endpoint& endpoint, int error_number,
                          absl::Time deadline) {
  if (error_number == ETIMEDOUT && absl::Now() >= deadline) {
    return absl::DeadlineExceededError(
        absl::StrCat(endpoint.ToString(), ": no connection in time"));
  }
  return Unreachable(endpoint, std::strerror(error_number));
}

absl::StatusOr<int> ConnectTo(const endpoint::Endpoint& endpoint, absl::Time deadline,
                              absl::FunctionRef<bool()> gives_up) {
  if (endpoint.is_unix()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, endpoint.path.data(), endpoint.path.size());
    const int descriptor =
        Connect(reinterpret_cast<const sockaddr*>(&address), sizeof address, deadline, gives_up);
    if (descriptor < 0) return NotConnected(endpoint, errno, deadline);
    return descriptor;
  }
  const absl::StatusOr<std::vector<endpoint::SocketAddress>> found =
      endpoint::LookUp(endpoint.host, endpoint.port, deadline, gives_up);
  if (!found.ok()) {
    return absl::Status(found.status().code(),
                        absl::StrCat(endpoint.ToString(), ": ", found.status().message()));
  }
  size_t left = found->size();
  for (const endpoint::SocketAddress& address : *found) {
    // One that does not answer leaves time for the others.
    const absl::Time now = absl::Now();
    const absl::Time until = now + (deadline - now) / static_cast<int64_t>(left--);
    const int descriptor = Connect(address.get(), address.bytes, until, gives_up);
    if (descriptor >= 0) return descriptor;
  }
  return NotConnected(endpoint, errno, deadline);
}

}  // namespace

absl::StatusOr<std::shared_ptr<GrpcChannel>> GrpcChannel::Open(const endpoint::Endpoint& endpoint,
                                                               absl::Duration keepalive,
                                                               absl::Time deadline,
                                                               absl::FunctionRef<bool()> gives_up) {
  const absl::StatusOr<int> connected = ConnectTo(endpoint, deadline, gives_up);
  if (!connected.ok()) return connected.status();
  const int duplicate = fcntl(*connected, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) {
    close(*connected);
    return Unreachable(endpoint, std::strerror(errno));
  }
  KeepGrpc();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(wire::kMaxMessageBytes));
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // off for large messages anyway, and not free
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, MillisecondsOrNever(keepalive));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kPingTimeoutMs));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // gRPC would stop after two pings without calls.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  auto stub = std::make_unique<grpc::GenericStub>(
      grpc::CreateCustomInsecureChannelFromFd("parityd", *connected, arguments));
  return std::shared_ptr<GrpcChannel>(new GrpcChannel(duplicate, std::move(stub)));
}

GrpcChannel::GrpcChannel(int descriptor, std::unique_ptr<grpc::GenericStub> stub)
    : descriptor_(descriptor), stub_(std::move(stub)) {}

GrpcChannel::~GrpcChannel() {
  queue_.Shutdown();
  void* tag;
  bool ok;
  while (queue_.Next(&tag, &ok)) {
  }
  close(descriptor_);
}

void GrpcChannel::ReadIfIdle() {
  if (queue_taken_.exchange(true, std::memory_order_acquire)) return;  // a call reads
  void* tag;
  bool ok;
  queue_.AsyncNext(&tag, &ok, std::chrono::system_clock::now() + kReadTime);
  queue_taken_.store(false, std::memory_order_release);
}

absl::Duration GrpcChannel::ReadInterval(absl::Duration keepalive) {
  constexpr int64_t kLongest = kPingTimeoutMs / 4;
  const int64_t interval = MillisecondsOrNever(keepalive) / 6;
  return absl::Milliseconds(std::clamp<int64_t>(interval, 10, kLongest));
}

GrpcChannel::Queue::Queue(GrpcChannel& channel)
    : channel_(channel), shared_(!channel.queue_taken_.exchange(true, std::memory_order_acquire)) {
  if (!shared_) own_ = std::make_unique<grpc::CompletionQueue>();
}

GrpcChannel::Queue::~Queue() {
  if (shared_) {
    channel_.queue_taken_.store(false, std::memory_order_release);
    return;
  }
  own_->Shutdown();
  void* tag;
  bool ok;
  own_->Next(&tag, &ok);  // says that nothing is left
}

bool GrpcChannel::is_lost() const {
  pollfd state = {descriptor_, POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0;
}

void GrpcChannel::Abort() { shutdown(descriptor_, SHUT_RDWR); }

}  // namespace parity::client
