// Who calls, as quotas and the log know it.
#ifndef PARITY_RPC_IDENTITY_H_
#define PARITY_RPC_IDENTITY_H_

#include <string>

#include "grpcpp/server_context.h"

namespace parity::rpc {

// The first subject alternative name of the client's certificate if it had to show one; "unix" on a
// Unix socket, whose users gRPC does not tell apart; else the peer's IP address, IPv4 also if it
// came as IPv6. Cost: some 200 ns.
std::string IdentityOf(const grpc::ServerContext& context);

// Whether the call came over TCP.
bool IsOverTcp(const grpc::ServerContext& context);

}  // namespace parity::rpc

#endif  // PARITY_RPC_IDENTITY_H_
