// One connection to a server.
//
// Key decision: the socket is made here and given to gRPC, and a duplicate of its descriptor is
// kept. So its buffers can be set, a server that is gone is noticed before a call is tried, and a
// call whose peer does not read can be ended: gRPC by itself waits for the write in flight,
// whatever the deadline.
//
// gRPC reads a socket only while somebody waits on a completion queue, so that pings of an idle
// connection would go unanswered. A thread looks at it every few seconds while no call does.
#ifndef PARITY_CLIENT_CONNECTION_H_
#define PARITY_CLIENT_CONNECTION_H_

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "parity/endpoint/endpoint.h"

namespace parity::client {

// Thread-safe.
class Connection {
 public:
  // Connects, trying every address of the host in turn. UNAVAILABLE naming the endpoint and the
  // reason if none answers until `deadline`. `keepalive`: RemoteOptions has it.
  static absl::StatusOr<std::shared_ptr<Connection>> Open(const endpoint::Endpoint& endpoint,
                                                          absl::Duration keepalive,
                                                          absl::Time deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Calls fail with UNAVAILABLE once the connection is lost; it does not come back.
  grpc::GenericStub& stub() { return *stub_; }

  // Whether the peer has closed it or it has failed.
  bool is_lost() const;

  // The completion queue of one call. The connection lends its own, which gRPC has already joined
  // to the socket, to one call at a time; others get one each.
  class Queue {
   public:
    explicit Queue(Connection& connection);
    // REQUIRES: no operation is under way.
    ~Queue();
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;
    grpc::CompletionQueue* get() { return shared_ ? &connection_.queue_ : own_.get(); }

   private:
    Connection& connection_;
    bool shared_;
    std::unique_ptr<grpc::CompletionQueue> own_;
  };

  // Ends it: calls under way fail, and gRPC lets go of what they were sending.
  void Abort();

 private:
  Connection(int descriptor, std::unique_ptr<grpc::GenericStub> stub,
             std::chrono::milliseconds read_interval);
  void ReadWhenIdle();

  const int descriptor_;
  const std::unique_ptr<grpc::GenericStub> stub_;
  const std::chrono::milliseconds read_interval_;
  grpc::CompletionQueue queue_;  // of whoever has set queue_taken_

  std::mutex mutex_;  // of the next two
  bool queue_taken_ = false;
  bool ending_ = false;
  std::condition_variable changed_;

  std::thread reader_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_CONNECTION_H_
