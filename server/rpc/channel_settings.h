// What gRPC is told about the connections of a server.
#ifndef PARITY_RPC_CHANNEL_SETTINGS_H_
#define PARITY_RPC_CHANNEL_SETTINGS_H_

#include "grpcpp/server_builder.h"
#include "parity/rpc/limits.h"

namespace parity::rpc {

// Message sizes, no compression, read sizes, calls of a connection, pings, and the idle time and
// age at which connections end.
void ApplySettings(grpc::ServerBuilder& builder, const Limits& limits);

}  // namespace parity::rpc

#endif  // PARITY_RPC_CHANNEL_SETTINGS_H_
