#include "grpc_channel.h"

#include <fcntl.h>
#include <netdb.h>
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
#include "grpcpp/create_channel.h"
#include "grpcpp/create_channel_posix.h"
#include "grpcpp/support/channel_arguments.h"
#include "parity/endpoint/lookup.h"
#include "parity/endpoint/socket.h"
#include "parity/wire/limits.h"
#include "socket_watch.h"
#include "tls.h"

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

grpc::ChannelArguments ArgumentsFor(absl::Duration keepalive) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(wire::kMaxMessageBytes));
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // off for large messages anyway, and not free
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, MillisecondsOrNever(keepalive));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(kPingTimeoutMs));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // gRPC would stop after two pings without calls.
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return arguments;
}

// As a gRPC target.
std::string TargetOf(const endpoint::SocketAddress& address) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getnameinfo(address.get(), address.bytes, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "";
  }
  return address.get()->sa_family == AF_INET ? absl::StrCat("ipv4:", host, ":", port)
                                             : absl::StrCat("ipv6:[", host, "]:", port);
}

// Why the channel could not connect, which only a call is told.
std::string WhyNot(const std::shared_ptr<grpc::Channel>& channel, grpc::CompletionQueue& queue) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(1));
  grpc::ByteBuffer response;
  grpc::Status status;
  const auto call =
      grpc::GenericStub(channel).PrepareUnaryCall(&context, "/", grpc::ByteBuffer(), &queue);
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  const std::string& why = status.error_message();
  if (why.find("wrong version number") != why.npos) return why + ": the server speaks no TLS";
  if (why.find("Socket closed") != why.npos) return why + kMaybeCertificate;
  return why;
}

// OK once the channel is connected and both sides have shown what they must.
absl::Status AwaitReady(const std::shared_ptr<grpc::Channel>& channel, grpc::CompletionQueue& queue,
                        absl::Time deadline, absl::FunctionRef<bool()> gives_up) {
  for (;;) {
    const grpc_connectivity_state state = channel->GetState(true);
    if (state == GRPC_CHANNEL_READY) return absl::OkStatus();
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
      return absl::UnavailableError(WhyNot(channel, queue));
    }
    const absl::Time now = absl::Now();
    if (now >= deadline) return absl::DeadlineExceededError("no TLS connection in time");
    if (gives_up()) return absl::CancelledError("cancelled");
    const absl::Time until = std::min(deadline, now + absl::Milliseconds(kConnectStepMs));
    channel->NotifyOnStateChange(state, absl::ToChronoTime(until), &queue, nullptr);
    void* tag;
    bool ok;
    queue.Next(&tag, &ok);
  }
}

struct TlsConnection {
  int descriptor;
  std::shared_ptr<grpc::Channel> channel;
};

absl::StatusOr<TlsConnection> ConnectTls(const endpoint::SocketAddress& address,
                                         const std::shared_ptr<grpc::ChannelCredentials>& with,
                                         grpc::ChannelArguments arguments, absl::Time deadline,
                                         absl::FunctionRef<bool()> gives_up) {
  const auto watch = std::make_shared<SocketWatch>();
  SocketWatch::Attach(watch, arguments);
  const auto channel = grpc::CreateCustomChannel(TargetOf(address), with, arguments);
  grpc::CompletionQueue queue;
  absl::Status status = AwaitReady(channel, queue, deadline, gives_up);
  queue.Shutdown();
  void* tag;
  bool ok;
  while (queue.Next(&tag, &ok)) {
  }
  const int descriptor = watch->Release();
  if (status.ok() && descriptor >= 0) {
    endpoint::TuneSocket(descriptor, false);
    return TlsConnection{descriptor, channel};
  }
  if (descriptor >= 0) {
    shutdown(descriptor, SHUT_RDWR);  // gRPC need not wait for it either
    close(descriptor);
  }
  return status.ok() ? absl::UnavailableError("the socket is gone") : status;
}

// Tries every address of the host in turn.
absl::StatusOr<TlsConnection> ConnectTlsTo(const endpoint::Endpoint& endpoint,
                                           const TlsOptions& tls, absl::Duration keepalive,
                                           absl::Time deadline,
                                           absl::FunctionRef<bool()> gives_up) {
  const auto credentials = LoadTls(tls);
  if (!credentials.ok()) return Unreachable(endpoint, credentials.status().message());
  const auto found = endpoint::LookUp(endpoint.host, endpoint.port, deadline, gives_up);
  if (!found.ok()) {
    return absl::Status(found.status().code(),
                        absl::StrCat(endpoint.ToString(), ": ", found.status().message()));
  }
  grpc::ChannelArguments arguments = ArgumentsFor(keepalive);
  arguments.SetSslTargetNameOverride(tls.server_name.empty() ? endpoint.host : tls.server_name);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);          // as without TLS
  absl::Status last;
  size_t left = found->size();
  for (const endpoint::SocketAddress& address : *found) {
    // One that does not answer leaves time for the others.
    const absl::Time now = absl::Now();
    const absl::Time until = now + (deadline - now) / static_cast<int64_t>(left--);
    absl::StatusOr<TlsConnection> connected =
        ConnectTls(address, *credentials, arguments, until, gives_up);
    if (connected.ok()) return connected;
    last = absl::Status(connected.status().code(),
                        absl::StrCat(endpoint.ToString(), ": ", connected.status().message()));
    if (gives_up()) break;
  }
  return last;
}

}  // namespace

absl::StatusOr<std::shared_ptr<GrpcChannel>> GrpcChannel::Open(const endpoint::Endpoint& endpoint,
                                                               absl::Duration keepalive,
                                                               const TlsOptions& tls,
                                                               absl::Time deadline,
                                                               absl::FunctionRef<bool()> gives_up) {
  KeepGrpc();
  if (tls.is_on() && !endpoint.is_unix()) {
    const absl::StatusOr<TlsConnection> connected =
        ConnectTlsTo(endpoint, tls, keepalive, deadline, gives_up);
    if (!connected.ok()) return connected.status();
    return std::shared_ptr<GrpcChannel>(new GrpcChannel(
        connected->descriptor, std::make_unique<grpc::GenericStub>(connected->channel)));
  }
  const absl::StatusOr<int> connected = ConnectTo(endpoint, deadline, gives_up);
  if (!connected.ok()) return connected.status();
  const int duplicate = fcntl(*connected, F_DUPFD_CLOEXEC, 0);
  if (duplicate < 0) {
    close(*connected);
    return Unreachable(endpoint, std::strerror(errno));
  }
  auto stub = std::make_unique<grpc::GenericStub>(
      grpc::CreateCustomInsecureChannelFromFd("parityd", *connected, ArgumentsFor(keepalive)));
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
