// What a worker knows of each connection: the bytes that are held for it, and its line.
#ifndef PARITY_RPC_CONNECTION_H_
#define PARITY_RPC_CONNECTION_H_

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "client_rule.h"
#include "grpcpp/server_context.h"
#include "parity/engine/byte_budget.h"
#include "parity/engine/stripe_processor.h"

namespace parity::rpc {

class Connection {
 public:
  explicit Connection(std::shared_ptr<engine::ByteBudget> budget)
      : holder_(std::make_shared<engine::ByteBudget::Holder>(std::move(budget))) {}

  engine::ByteBudget::Holder& holder() { return *holder_; }
  engine::StripeProcessor::Line& line() { return line_; }
  // Not OK if its client may not call.
  const absl::Status& allowed() const { return allowed_; }

 private:
  friend class ConnectionTable;
  const std::shared_ptr<engine::ByteBudget::Holder> holder_;  // answers may outlive the calls
  engine::StripeProcessor::Line line_;
  absl::Status allowed_;
  size_t calls_ = 0;
  const void* key_ = nullptr;
};

// The connections that have calls under way. Lives on its worker's thread.
class ConnectionTable {
 public:
  // `rule` must outlive it.
  ConnectionTable(std::shared_ptr<engine::ByteBudget> budget, const ClientRule& rule)
      : budget_(std::move(budget)), rule_(rule) {}

  // The connection that a call came on; it stays until as many calls have left as entered.
  Connection& Enter(const grpc::ServerContext& context);
  void Leave(Connection& connection);

 private:
  const std::shared_ptr<engine::ByteBudget> budget_;
  const ClientRule& rule_;
  std::unordered_map<const void*, std::unique_ptr<Connection>> connections_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_CONNECTION_H_
