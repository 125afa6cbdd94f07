// One Process stream: reads requests, and writes their answers in the order in which they are
// computed.
#ifndef PARITY_RPC_PROCESS_STREAM_H_
#define PARITY_RPC_PROCESS_STREAM_H_

#include <cstdint>
#include <deque>

#include "absl/status/statusor.h"
#include "connection.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "stripe_call.h"
#include "tag.h"

namespace parity::rpc {

class StripeMethods;
class Worker;

// Owns itself: deleted when gRPC is done with it. Lives on its worker's thread.
class ProcessStream final : public StripeCaller {
 public:
  using Stream = grpc::ServerAsyncReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;

  // Asks for one stream.
  static void Ask(Worker& worker, StripeMethods& methods);

  // Reads no more; the stream ends with UNAVAILABLE when what was read is answered.
  void Stop();

  // Begins to write what was answered in this turn.
  void Flush();

  absl::Status Waiting() const override;
  const TakenPieces& taken() const override { return stall_watch_.taken(); }
  void LookForStall() override;
  void Answer(uint64_t id, engine::Operation operation,
              absl::StatusOr<wire::MessageWriter> response,
              engine::ByteBudget::Lease lease) override;

 private:
  ProcessStream(Worker& worker, StripeMethods& methods);
  ~ProcessStream() override;

  void Arrived(bool ok);
  void Received(bool ok);
  void Written(bool ok);
  void Finished(bool ok);
  void Ended(bool ok);

  // Asks for the next message unless as many requests are unanswered as may be.
  void Read();
  void Serve();
  // Writes the next answer, if there is one and none is being written.
  void Write();
  // Ends the stream when it has no more to do.
  void FinishIfDone();
  void DeleteIfOver();
  // Requests that are read and whose answer is not yet written.
  size_t unanswered() const { return computing_ + answers_.size() + (writing_ ? 1 : 0); }

  Worker& worker_;
  StripeMethods& methods_;
  MemberTag<ProcessStream> arrived_tag_{this, &ProcessStream::Arrived};
  MemberTag<ProcessStream> received_tag_{this, &ProcessStream::Received};
  MemberTag<ProcessStream> written_tag_{this, &ProcessStream::Written};
  MemberTag<ProcessStream> finished_tag_{this, &ProcessStream::Finished};
  MemberTag<ProcessStream> ended_tag_{this, &ProcessStream::Ended};
  Connection* connection_ = nullptr;
  grpc::ServerContext context_;
  Stream stream_;
  grpc::ByteBuffer request_;
  struct Outgoing {
    grpc::ByteBuffer message;
    engine::ByteBudget::Lease lease;
  };
  std::deque<Outgoing> answers_;
  engine::ByteBudget::Lease writing_lease_;
  StallWatch stall_watch_;
  size_t computing_ = 0;  // requests that are read and not answered
  absl::Status outcome_;  // with which the stream will end
  bool reading_ = false;
  bool read_all_ = false;  // nothing more is to be read
  bool writing_ = false;
  bool has_written_ = false;
  bool broken_ = false;  // nothing more can be written
  bool finishing_ = false;
  bool finished_ = false;
  bool ended_ = false;  // by gRPC's account; before it has finished that means cancelled
  bool flushing_ = false;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_PROCESS_STREAM_H_
