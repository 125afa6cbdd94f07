// One socket to a server, and gRPC on it.
//
// Key decision: the socket is made here and given to gRPC, and a duplicate of its descriptor is
// kept; of a TLS connection, which gRPC insists on making itself, it is got while it connects
// (socket_watch.h). So its buffers can be set, a server that is gone is noticed before a call is
// tried, and a call whose peer does not read can be ended: gRPC by itself waits for the write in
// flight, whatever the deadline.
//
// gRPC reads a socket only while somebody waits on a completion queue, so that pings of an idle
// connection would go unanswered unless somebody looks at it now and then.
#ifndef PARITY_CLIENT_GRPC_CHANNEL_H_
#define PARITY_CLIENT_GRPC_CHANNEL_H_

#include <atomic>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "parity/client/tls_options.h"
#include "parity/endpoint/endpoint.h"

namespace parity::client {

// What to say of a TLS connection that is closed before there was an answer.
inline constexpr char kMaybeCertificate[] =
    ": before any answer; a server that does not accept the client's certificate, or wants one, "
    "closes so, too";

// Thread-safe.
class GrpcChannel {
 public:
  // Connects, trying every address of the host in turn. The error names the endpoint: UNAVAILABLE
  // with the reason, DEADLINE_EXCEEDED. It also ends if `gives_up`, which is asked every 50 ms.
  // `keepalive`, `tls`: ConnectionOptions has them. A server whose certificate is not accepted, or
  // that speaks no TLS, is UNAVAILABLE.
  static absl::StatusOr<std::shared_ptr<GrpcChannel>> Open(const endpoint::Endpoint& endpoint,
                                                           absl::Duration keepalive,
                                                           const TlsOptions& tls,
                                                           absl::Time deadline,
                                                           absl::FunctionRef<bool()> gives_up);
  ~GrpcChannel();
  GrpcChannel(const GrpcChannel&) = delete;
  GrpcChannel& operator=(const GrpcChannel&) = delete;

  // Calls fail with UNAVAILABLE once the connection is lost; it does not come back.
  grpc::GenericStub& stub() { return *stub_; }

  // Whether the peer has closed it or it has failed.
  bool is_lost() const;

  // The completion queue of one call. The channel lends its own, which gRPC has already joined
  // to the socket, to one call at a time; others get one each.
  class Queue {
   public:
    explicit Queue(GrpcChannel& channel);
    // REQUIRES: no operation is under way.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    grpc::CompletionQueue* get() { return shared_ ? &channel_.queue_ : own_.get(); }

   private:
    GrpcChannel& channel_;
    bool shared_;
    std::unique_ptr<grpc::CompletionQueue> own_;
  };

  // Reads and answers pings, if no call does. Cost: a millisecond, asleep.
  void ReadIfIdle();
  // How often that is to be done for both sides' pings to be answered in time.
  static absl::Duration ReadInterval(absl::Duration keepalive);

  // Whether a call has had an answer, as GrpcCoder says.
  bool has_answered() const { return has_answered_.load(std::memory_order_relaxed); }
  void SetAnswered() { has_answered_.store(true, std::memory_order_relaxed); }

  // Ends it: calls under way fail, and gRPC lets go of what they were sending.
  void Abort();

 private:
  GrpcChannel(int descriptor, std::unique_ptr<grpc::GenericStub> stub);

  const int descriptor_;
  const std::unique_ptr<grpc::GenericStub> stub_;
  grpc::CompletionQueue queue_;  // of whoever has set queue_taken_
  std::atomic<bool> queue_taken_{false};
  std::atomic<bool> has_answered_{false};
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_GRPC_CHANNEL_H_
