// gRPC as the product's clients should have it.
#ifndef PARITY_SERVER_BENCH_GRPC_PROCESS_H_
#define PARITY_SERVER_BENCH_GRPC_PROCESS_H_

namespace parity::bench {

// What rpc::ConfigureProcess does for a server, for a client that sends and receives large
// messages: the polling engine, read sizes and malloc. Must be called before gRPC is used in this
// process, while it has one thread. The environment overrides it.
void TuneGrpcProcess();

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_GRPC_PROCESS_H_
