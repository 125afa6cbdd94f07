// One connection to a server.
//
// Key decision: the socket is made here and given to gRPC, and a duplicate of its descriptor is
// kept. So its buffers can be set, a server that is gone is noticed before a call is tried, and a
// call whose peer does not read can be ended: gRPC by itself waits for the write in flight,
// whatever the deadline.
#ifndef PARITY_CLIENT_CONNECTION_H_
#define PARITY_CLIENT_CONNECTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "grpcpp/generic/generic_stub.h"
#include "parity/endpoint/endpoint.h"

namespace parity::client {

// Thread-safe.
class Connection {
 public:
  // Connects, trying every address of the host in turn. UNAVAILABLE naming the endpoint and the
  // reason if none answers until `deadline`.
  static absl::StatusOr<std::shared_ptr<Connection>> Open(const endpoint::Endpoint& endpoint,
                                                          absl::Time deadline);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Calls fail with UNAVAILABLE once the connection is lost; it does not come back.
  grpc::GenericStub& stub() { return *stub_; }

  // Whether the peer has closed it or it has failed.
  bool is_lost() const;

  // Ends it: calls under way fail, and gRPC lets go of what they were sending.
  void Abort();

 private:
  Connection(int descriptor, std::unique_ptr<grpc::GenericStub> stub)
      : descriptor_(descriptor), stub_(std::move(stub)) {}

  const int descriptor_;
  const std::unique_ptr<grpc::GenericStub> stub_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_CONNECTION_H_
