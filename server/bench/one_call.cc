#include "one_call.h"

#include "encode_exchange.h"
#include "grpc_connection.h"
#include "parity_checker.h"

namespace parity::bench {

absl::StatusOr<std::shared_ptr<GrpcConnection>> OpenAndCallOnce(const endpoint::Endpoint& server,
                                                                const Workload& workload) {
  absl::StatusOr<std::shared_ptr<GrpcConnection>> connection = GrpcConnection::Open(server);
  if (!connection.ok()) return connection.status();
  EncodeExchange exchange(workload.job);
  absl::StatusOr<grpc::ByteBuffer> response =
      CallAndWait(**connection, "Encode", exchange.UnaryRequest(workload.sources.data()));
  if (!response.ok()) return response.status();
  Answer answer;
  absl::Status status = exchange.ReadUnary(*response, answer);
  if (status.ok()) {
    ParityChecker checker(workload.job, *workload.table);
    status = checker.Check(answer.parity, workload.sources.data());
  }
  if (!status.ok()) return status;
  return connection;
}

}  // namespace parity::bench
