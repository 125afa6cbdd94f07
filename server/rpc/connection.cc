#include "connection.h"

#include "grpcpp/security/auth_context.h"

namespace parity::rpc {
namespace {

// gRPC has no name for a connection: the peers of a Unix socket are all called alike. But each
// connection has an authentication context of its own, and its properties lie in memory of their
// own as long as a call refers to it.
const void* KeyOf(const grpc::ServerContext& context) {
  const std::shared_ptr<const grpc::AuthContext> authentication = context.auth_context();
  auto property = authentication->begin();
  return property != authentication->end() ? (*property).second.data() : nullptr;
}

}  // namespace

Connection& ConnectionTable::Enter(const grpc::ServerContext& context) {
  const void* key = KeyOf(context);
  std::unique_ptr<Connection>& connection = connections_[key];
  if (connection == nullptr) {
    connection = std::make_unique<Connection>(budget_);
    connection->key_ = key;
    connection->allowed_ = rule_.Check(context);
  }
  ++connection->calls_;
  return *connection;
}

void ConnectionTable::Leave(Connection& connection) {
  if (--connection.calls_ == 0) connections_.erase(connection.key_);
}

}  // namespace parity::rpc
