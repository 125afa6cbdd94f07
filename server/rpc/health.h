// grpc.health.v1 on a worker.
#ifndef PARITY_RPC_HEALTH_H_
#define PARITY_RPC_HEALTH_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/server_builder.h"
#include "unary_call.h"

namespace parity::rpc {

class HealthWatch;

// Belongs to one worker and lives on its thread once that runs. Serving from the start until
// Stop().
class Health {
 public:
  explicit Health(Worker& worker);

  void RegisterOn(grpc::ServerBuilder& builder) { builder.RegisterService(&service_); }
  void AskForCalls();

  // NOT_SERVING from now on; tells the watchers and ends their streams.
  void Stop();

 private:
  friend class HealthWatch;
  using Service = grpc::health::v1::Health::WithRawMethod_Check<
      grpc::health::v1::Health::WithAsyncMethod_Watch<grpc::health::v1::Health::Service>>;
  using Status = grpc::health::v1::HealthCheckResponse::ServingStatus;

  absl::StatusOr<grpc::ByteBuffer> Check(const grpc::ByteBuffer& request);
  // SERVICE_UNKNOWN for a service that the server does not have.
  Status StatusOf(const std::string& service) const;

  Worker& worker_;
  Service service_;
  const UnaryMethod check_;
  std::set<HealthWatch*> watches_;
  bool serving_ = true;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_HEALTH_H_
