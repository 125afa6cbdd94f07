// A request of parity.v1, from its message to its answer, however it came.
#ifndef PARITY_RPC_STRIPE_CALL_H_
#define PARITY_RPC_STRIPE_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "parity/engine/byte_budget.h"
#include "parity/engine/stripe_job.h"
#include "parity/engine/stripe_processor.h"
#include "parity/wire/message_writer.h"
#include "parity/wire/stripe_message.h"
#include "shard_places.h"
#include "taken.h"

namespace parity::rpc {

class Connection;
class Worker;

// Who sent requests: a unary call, or a stream.
class StripeCaller {
 public:
  virtual ~StripeCaller() = default;
  // Not OK if the caller has gone, or its time is over.
  virtual absl::Status Waiting() const = 0;
  // Counts the pieces of answers that the peer has taken.
  virtual const TakenPieces& taken() const = 0;
  // Looks whether the peer takes what is sent, and cancels the call if it does not; see StallWatch.
  virtual void LookForStall() = 0;
  // Takes the response to the request with this id, and what is to be held until it is sent.
  virtual void Answer(uint64_t id, engine::Operation operation,
                      absl::StatusOr<wire::MessageWriter> response,
                      engine::ByteBudget::Lease lease) = 0;
};

// Owns itself. Lives on its worker's thread.
class StripeCall final : public engine::StripeRequest {
 public:
  // Where a request lies: bytes [begin, end) of the slices of a message.
  struct Source {
    wire::SliceList slices;
    uint64_t message_bytes;
    uint64_t begin;
    uint64_t end;
  };

  // Reads the request and queues it, or answers at once with what is wrong with it. The caller must
  // outlive the answer.
  static void Serve(Worker& worker, Connection& connection, StripeCaller& caller, uint64_t id,
                    engine::Operation operation, Source source);

  engine::StripeJob& job() override { return job_; }
  absl::Status Wanted() const override { return caller_.Waiting(); }
  void Done(const absl::Status& status) override;

 private:
  StripeCall(Worker& worker, StripeCaller& caller, uint64_t id, engine::Operation operation,
             wire::StripeMessage message);

  // Builds job_. The message does not move from here on, nor the places.
  absl::Status Prepare();
  absl::Status Admit(Connection& connection, uint64_t message_bytes);
  wire::MessageWriter Response();
  // What the answer costs to keep beyond its shards.
  uint64_t AnswerOverhead() const;

  Worker& worker_;
  StripeCaller& caller_;
  const uint64_t id_;
  const engine::Operation operation_;
  wire::StripeMessage message_;
  ShardPlaces places_;
  std::vector<uint32_t> wanted_;
  engine::ByteBudget::Lease lease_;
  engine::StripeJob job_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_STRIPE_CALL_H_
