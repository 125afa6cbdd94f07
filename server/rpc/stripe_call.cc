#include "stripe_call.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "call_status.h"
#include "connection.h"
#include "grpcpp/support/slice.h"
#include "parity/codec/field_error.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/status.h"
#include "worker.h"

namespace parity::rpc {
namespace {

using codec::FieldError;
using engine::Operation;

// Room for tags, lengths and small fields around the shards of a response.
constexpr uint64_t kResponseOverheadBytes = 4096;
// And for each shard and its checksum.
constexpr uint64_t kShardOverheadBytes = 16;

// What a request costs to keep beyond its bytes and those of its answer, and each of its shards.
constexpr uint64_t kRequestOverheadBytes = 1024;
constexpr uint64_t kRequestShardBytes = 64;
// And each shard in a region, to be read or written: its numbers, and the place they were found to
// be.
constexpr uint64_t kRegionShardBytes = 160;
// What each shard of an answer costs: a slice and its owner, if it has some of its own.
constexpr uint64_t kAnswerShardBytes = 160;
constexpr uint64_t kMismatchBytes = 32;

// How fast held bytes go away, for the time to wait before trying again: a low estimate.
constexpr double kBytesPerSecond = 1e9;
constexpr absl::Duration kLeastRetryDelay = absl::Milliseconds(5);
constexpr absl::Duration kMostRetryDelay = absl::Seconds(1);

// Refuses a stripe that would be too large if its shards were as long as shard_bytes says, whatever
// the message itself holds, and a response beyond the limit.
absl::Status CheckSize(uint64_t shard_bytes, uint64_t shards, uint64_t computed_shards,
                       uint64_t limit) {
  if (shard_bytes > limit / shards) {
    return FieldError(absl::StatusCode::kResourceExhausted, "shard_bytes",
                      absl::StrCat(shard_bytes, " for each of ", shards, " shards"),
                      absl::StrCat("at most ", limit, " bytes in all: send the stripe as slices"));
  }
  const uint64_t overhead = kResponseOverheadBytes + computed_shards * kShardOverheadBytes;
  const uint64_t room = limit - std::min(limit, overhead);
  if (computed_shards > 0 && shard_bytes > room / computed_shards) {
    return FieldError(
        absl::StatusCode::kResourceExhausted, "shard_bytes",
        absl::StrCat(shard_bytes, " for each of ", computed_shards, " computed shards"),
        absl::StrCat("at most ", room, " bytes in all in the response: send the stripe as slices"));
  }
  return absl::OkStatus();
}

// Every index of the stripe that is not present.
std::vector<uint32_t> Missing(uint32_t total, absl::Span<const uint32_t> present) {
  std::vector<bool> is_present(total, false);
  for (uint32_t index : present) {
    if (index < total) is_present[index] = true;
  }
  std::vector<uint32_t> missing;
  for (uint32_t index = 0; index < total; ++index) {
    if (!is_present[index]) missing.push_back(index);
  }
  return missing;
}

// What gRPC sends by reference, until it drops the last slice.
struct Answer {
  engine::ComputedShards shards;
  engine::ByteBudget::Lease lease;
  TakenPieces taken;
};

// Bytes of an answer, in pieces.
std::vector<grpc::Slice> SlicesOf(const std::shared_ptr<Answer>& answer, size_t offset,
                                  size_t bytes) {
  using Owner = std::shared_ptr<Answer>;
  std::vector<grpc::Slice> slices;
  for (const size_t end = offset + bytes; offset < end; offset += kPieceBytes) {
    slices.emplace_back(
        answer->shards.buffer.data() + offset, std::min(kPieceBytes, end - offset),
        [](void* piece) {
          const std::unique_ptr<Owner> owner(static_cast<Owner*>(piece));
          (*owner)->taken->fetch_add(1, std::memory_order_relaxed);
        },
        new Owner(answer));
  }
  return slices;
}

// What the message calls a field of the job.
std::string NameOf(const std::string& field, wire::ShardForm form) {
  if (field == "shards" && form == wire::ShardForm::kPacked) return "packed_shards";
  if (field == "shards" && form == wire::ShardForm::kRegion) return "offsets";
  if (field == "outputs") return "output_offsets";
  return field;
}

// An error that names its field as the message does.
absl::Status Renamed(const absl::Status& status, const wire::StripeMessage& message) {
  const std::optional<std::string> field = codec::FieldOf(status);
  if (!field.has_value()) return status;
  const std::string name = NameOf(*field, message.form());
  if (name == *field) return status;
  absl::Status renamed(status.code(), absl::StrCat(name, status.message().substr(field->size())));
  codec::AttachField(renamed, name);
  return renamed;
}

}  // namespace

void StripeCall::Serve(Worker& worker, Connection& connection, StripeCaller& caller, uint64_t id,
                       Operation operation, Source source) {
  const uint64_t limit = worker.limits().max_message_bytes;
  absl::StatusOr<wire::StripeMessage> message =
      source.message_bytes > limit
          ? TooLong(source.message_bytes, limit)
          : wire::StripeMessage::Read(std::move(source.slices), source.begin, source.end);
  absl::Status status = message.status();
  std::unique_ptr<StripeCall> call;
  if (status.ok()) {
    call.reset(new StripeCall(worker, caller, id, operation, *std::move(message)));
    status = call->Prepare();
  }
  if (status.ok()) status = call->Admit(connection, source.message_bytes);
  if (!status.ok()) {
    Counters& counters = worker.counters();
    counters.answers.Failed(operation, status.code());
    if (wire::RetryDelayOf(status).has_value()) counters.refused_requests.Add(1);
    caller.Answer(id, operation, status, {});
    return;
  }
  // A large job is for the workers that are near its bytes.
  const region::Region* const region = call->places_.region();
  engine::Crew* const crew = region != nullptr ? worker.CrewOf(region->node()) : nullptr;
  worker.processor().Queue(connection.line(), *call.release(), crew);
}

StripeCall::StripeCall(Worker& worker, StripeCaller& caller, uint64_t id, Operation operation,
                       wire::StripeMessage message)
    : worker_(worker),
      caller_(caller),
      id_(id),
      operation_(operation),
      message_(std::move(message)) {}

absl::Status StripeCall::Prepare() {
  absl::StatusOr<codec::Geometry> geometry = wire::GeometryFrom(message_.geometry());
  if (!geometry.ok()) return geometry.status();
  wanted_.assign(message_.wanted().begin(), message_.wanted().end());
  if (operation_ == Operation::kReconstruct && wanted_.empty()) {
    wanted_ = Missing(geometry->total_shards(), message_.indices());
  }
  absl::Status status = places_.Find(worker_.regions(), operation_, *geometry, message_);
  if (!status.ok()) return status;
  absl::StatusOr<engine::StripeJob> job = engine::StripeJob::Make(
      worker_.processor().codecs().Get(*geometry),
      {operation_, places_.shards(), message_.shard_bytes(), message_.stripes(), message_.indices(),
       wanted_, message_.checksums(), places_.outputs()});
  if (!job.ok()) return Renamed(job.status(), message_);
  job_ = *std::move(job);
  if (places_.region() != nullptr) return absl::OkStatus();
  return CheckSize(message_.shard_bytes(), message_.shards().size(), job_.computed_shards(),
                   worker_.limits().max_message_bytes);
}

absl::Status StripeCall::Admit(Connection& connection, uint64_t message_bytes) {
  const uint64_t places = message_.offsets().size() + message_.output_offsets().size();
  const uint64_t bytes = message_bytes + kRequestOverheadBytes +
                         message_.shards().size() * kRequestShardBytes +
                         places * kRegionShardBytes + job_.computed_bytes() + AnswerOverhead();
  if (bytes > worker_.budget().limit_bytes()) {
    return FieldError(absl::StatusCode::kResourceExhausted, "message",
                      absl::StrCat(bytes, " bytes with its answer"),
                      absl::StrCat("at most ", worker_.budget().limit_bytes(),
                                   ", all that the server may hold: send the stripe as slices"));
  }
  std::optional<engine::ByteBudget::Lease> lease = connection.holder().Take(bytes);
  if (!lease.has_value()) {
    const engine::ByteBudget& budget = worker_.budget();
    const absl::Duration delay =
        std::clamp(absl::Seconds(static_cast<double>(budget.held_bytes()) / kBytesPerSecond),
                   kLeastRetryDelay, kMostRetryDelay);
    return wire::Overloaded(
        absl::StrCat("overloaded: the server holds ", budget.held_bytes(), " of at most ",
                     budget.limit_bytes(), " bytes, ", connection.holder().held_bytes(),
                     " of them for this connection; try again in ",
                     absl::ToInt64Milliseconds(delay), " ms"),
        delay);
  }
  lease_ = *std::move(lease);
  return job_.Allocate(worker_.processor().pool());
}

void StripeCall::Done(const absl::Status& status) {
  const std::unique_ptr<StripeCall> self(this);
  Counters& counters = worker_.counters();
  if (!status.ok()) {
    counters.answers.Failed(operation_, status.code());
    const bool dropped = absl::IsCancelled(status) || absl::IsDeadlineExceeded(status);
    if (dropped) counters.dropped_requests.Add(1);
    caller_.Answer(id_, operation_, status, {});
    return;
  }
  counters.answers.Done(operation_, job_);
  lease_.Reduce(job_.computed_bytes() + AnswerOverhead());
  engine::ByteBudget::Lease overhead = lease_.Split(AnswerOverhead());
  caller_.Answer(id_, operation_, Response(), std::move(overhead));
}

uint64_t StripeCall::AnswerOverhead() const {
  if (operation_ == Operation::kVerify) {
    return engine::StripeReport::kMaxMismatches * kMismatchBytes;
  }
  const bool has_slices = message_.form() == wire::ShardForm::kRepeated;
  return job_.computed_shards() * (has_slices ? kAnswerShardBytes : kShardOverheadBytes);
}

wire::MessageWriter StripeCall::Response() {
  wire::MessageWriter writer;
  if (operation_ == Operation::kVerify) {
    v1::VerifyResponse response;
    for (const engine::Mismatch& mismatch : job_.report().mismatches) {
      auto* added = response.add_mismatches();
      added->set_stripe(mismatch.stripe);
      added->set_shard(mismatch.at.shard);
      added->set_offset(mismatch.at.offset);
    }
    response.set_more_mismatches(job_.report().more);
    if (job_.report().suspect.has_value()) response.set_suspect(*job_.report().suspect);
    writer.AddFields(response);
    return writer;
  }
  if (operation_ == Operation::kReconstruct) {
    writer.AddPackedUint32(wire::kIndicesField, wanted_);
  }
  const auto answer = std::make_shared<Answer>(
      Answer{std::move(job_.computed()), std::move(lease_), caller_.taken()});
  const size_t shard_bytes = answer->shards.shard_bytes;
  const uint32_t count = answer->shards.count;
  writer.AddVarint(wire::kShardBytesField, shard_bytes);
  writer.AddPackedFixed32(wire::kChecksumsField, answer->shards.checksums);
  if (places_.region() != nullptr) return writer;
  if (message_.form() == wire::ShardForm::kPacked) {
    writer.AddBytes(wire::kPackedShardsField, SlicesOf(answer, 0, count * shard_bytes));
    return writer;
  }
  for (uint32_t i = 0; i < count; ++i) {
    writer.AddBytes(wire::kShardsField, SlicesOf(answer, i * shard_bytes, shard_bytes));
  }
  return writer;
}

}  // namespace parity::rpc
