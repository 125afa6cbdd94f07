#include "parity/client/remote_coder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "grpc_coder.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec.h"
#include "parity/codec/field_error.h"
#include "parity/kernels/dispatch.h"
#include "shm_coder.h"
#include "stripe_run.h"

namespace parity::client {
namespace {

using codec::InvalidField;

// What a request must have before it is worth sending, and before its pointers may be followed.
absl::Status CheckShards(absl::string_view field, absl::Span<const ShardBytes> shards,
                         size_t wanted, size_t shard_bytes) {
  if (shards.size() != wanted) {
    return InvalidField({field.data(), field.size()}, shards.size(),
                        absl::StrCat(wanted, " shards"));
  }
  if (shard_bytes == 0) return InvalidField("shard_bytes", 0, "at least 1 byte");
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].size() > shard_bytes) {
      return InvalidField(absl::StrCat(field, "[", i, "]"),
                          absl::StrCat(shards[i].size(), " bytes"),
                          absl::StrCat("at most shard_bytes (", shard_bytes, ")"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(absl::Span<uint8_t* const> out, size_t wanted) {
  if (out.size() == wanted) return absl::OkStatus();
  return InvalidField("out", absl::StrCat(out.size(), " buffers"), absl::StrCat(wanted));
}

// What is left of shards beyond the first bytes of each.
std::vector<ShardBytes> Rest(absl::Span<const ShardBytes> shards, size_t done) {
  std::vector<ShardBytes> rest;
  rest.reserve(shards.size());
  for (const ShardBytes shard : shards) rest.push_back(shard.subspan(std::min(done, shard.size())));
  return rest;
}

std::vector<uint8_t*> Rest(absl::Span<uint8_t* const> outputs, size_t done) {
  std::vector<uint8_t*> rest(outputs.begin(), outputs.end());
  for (uint8_t*& output : rest) output += done;
  return rest;
}

// What is wrong with the arguments of a stripe that the server has refused. A ring says little more
// than that; the codec here, asked for the same, says what, and computes nothing.
absl::Status Explain(const absl::Status& refusal, const StripeRequest& request) {
  const absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable("auto");
  if (!table.ok()) return refusal;
  std::vector<codec::Segment> segments;
  for (const ShardBytes shard : request.sources) segments.push_back({shard.data(), shard.size()});
  std::vector<codec::Shard> shards;
  for (const codec::Segment& segment : segments) shards.emplace_back(&segment, 1);
  const absl::Span<const codec::Shard> all = shards;
  const PlanView& plan = request.plan;
  const size_t bytes = request.shard_bytes;
  const codec::Codec codec(plan.geometry);
  codec::Batch never_run(**table);
  absl::Status found;
  switch (plan.operation) {
    case RingOperation::kEncode:
      found = codec.Encode(all, bytes, request.outputs, never_run);
      break;
    case RingOperation::kReconstruct:
      found = codec.Reconstruct(plan.indices, all, bytes, plan.wanted, request.outputs, never_run);
      break;
    case RingOperation::kVerify:
      break;
    case RingOperation::kUpdate:
      found = codec.Update(plan.indices, all.first(plan.indices.size()),
                           all.subspan(plan.indices.size()), bytes, request.outputs, never_run);
      break;
  }
  return found.ok() ? refusal : found;
}

// Over gRPC, and by shared memory where it can be had.
class EitherCoder final : public RemoteCoder {
 public:
  EitherCoder(const endpoint::Endpoint& server, const RemoteOptions& options)
      : deadline_(options.deadline), grpc_(server, options) {
    if (server.is_unix() && options.region_bytes > 0) shm_.emplace(options);
  }

  absl::Status Encode(const codec::Geometry& geometry, absl::Span<const ShardBytes> data,
                      size_t shard_bytes, absl::Span<uint8_t* const> parity) override {
    absl::Status status = CheckShards("shards", data, geometry.data_shards(), shard_bytes);
    status.Update(CheckOutputs(parity, geometry.parity_shards()));
    if (!status.ok()) return status;
    const absl::Time deadline = absl::Now() + deadline_;
    StripeRun run({{RingOperation::kEncode, geometry, {}, {}}, data, parity, shard_bytes});
    if (const auto ended = RunShared(run, deadline); ended.has_value()) return *ended;
    const size_t done = run.done();
    return Inline(
        grpc_.Encode(geometry, Rest(data, done), shard_bytes - done, Rest(parity, done), deadline));
  }

  absl::Status Reconstruct(const codec::Geometry& geometry, absl::Span<const uint32_t> present,
                           absl::Span<const ShardBytes> shards, size_t shard_bytes,
                           absl::Span<const uint32_t> wanted,
                           absl::Span<uint8_t* const> out) override {
    absl::Status status = CheckShards("shards", shards, present.size(), shard_bytes);
    status.Update(CheckOutputs(out, wanted.size()));
    if (status.ok() && wanted.empty()) {
      status = InvalidField("wanted", "none", "a shard to compute");
    }
    if (status.ok() && present.empty()) {
      status = InvalidField("present", "none", "the shards that are left");
    }
    if (!status.ok()) return status;
    const absl::Time deadline = absl::Now() + deadline_;
    StripeRun run(
        {{RingOperation::kReconstruct, geometry, present, wanted}, shards, out, shard_bytes});
    if (const auto ended = RunShared(run, deadline); ended.has_value()) return *ended;
    const size_t done = run.done();
    return Inline(grpc_.Reconstruct(geometry, present, Rest(shards, done), shard_bytes - done,
                                    wanted, Rest(out, done), deadline));
  }

  absl::StatusOr<codec::VerifyReport> Verify(const codec::Geometry& geometry,
                                             absl::Span<const ShardBytes> shards,
                                             size_t shard_bytes) override {
    absl::Status status = CheckShards("shards", shards, geometry.total_shards(), shard_bytes);
    if (!status.ok()) return status;
    const absl::Time deadline = absl::Now() + deadline_;
    StripeRun run({{RingOperation::kVerify, geometry, {}, {}}, shards, {}, shard_bytes});
    const std::optional<absl::Status> ended = RunShared(run, deadline);
    if (ended.has_value() && !ended->ok()) return *ended;
    if (!ended.has_value()) {
      const size_t done = run.done();
      const absl::StatusOr<codec::VerifyReport> rest =
          grpc_.Verify(geometry, Rest(shards, done), shard_bytes - done, deadline);
      status = Inline(rest.status());
      if (!status.ok()) return status;
      run.AddReport(*rest);
    }
    return run.TakeReport();
  }

  absl::Status Update(const codec::Geometry& geometry, absl::Span<const uint32_t> changed,
                      absl::Span<const ShardBytes> old_shards,
                      absl::Span<const ShardBytes> new_shards, size_t shard_bytes,
                      absl::Span<uint8_t* const> parity) override {
    absl::Status status = CheckShards("old_shards", old_shards, changed.size(), shard_bytes);
    status.Update(CheckShards("new_shards", new_shards, changed.size(), shard_bytes));
    status.Update(CheckOutputs(parity, geometry.parity_shards()));
    if (!status.ok() || changed.empty()) return status;
    const absl::Time deadline = absl::Now() + deadline_;
    std::vector<ShardBytes> shards(old_shards.begin(), old_shards.end());
    shards.insert(shards.end(), new_shards.begin(), new_shards.end());
    StripeRun run({{RingOperation::kUpdate, geometry, changed, {}}, shards, parity, shard_bytes});
    if (const auto ended = RunShared(run, deadline); ended.has_value()) return *ended;
    const size_t done = run.done();
    return Inline(grpc_.Update(geometry, changed, Rest(shards, done), shard_bytes - done,
                               Rest(parity, done), deadline));
  }

  absl::StatusOr<ServerInfo> GetServerInfo() override {
    return grpc_.GetServerInfo(absl::Now() + deadline_);
  }

  absl::StatusOr<Buffer> Allocate(size_t bytes) override {
    if (!shm_.has_value()) return AllocateOrdinary(bytes);
    return shm_->Allocate(bytes, absl::Now() + deadline_);
  }

 private:
  // How the stripe ended; unset if what is left of it is to go over gRPC.
  std::optional<absl::Status> RunShared(StripeRun& run, absl::Time deadline) {
    if (!shm_.has_value()) return std::nullopt;
    std::optional<absl::Status> ended = shm_->Run(run, deadline);
    if (!ended.has_value() || ended->ok()) return ended;
    const bool refused = absl::IsInvalidArgument(*ended) || absl::IsFailedPrecondition(*ended);
    return refused ? Explain(*ended, run.request()) : *ended;
  }

  // Passes on how a call over gRPC has ended.
  absl::Status Inline(absl::Status status) {
    const bool answered = !absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status);
    if (shm_.has_value() && answered) shm_->AnsweredInline();
    return status;
  }

  const absl::Duration deadline_;
  GrpcCoder grpc_;
  std::optional<ShmCoder> shm_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RemoteCoder>> RemoteCoder::Make(const RemoteOptions& options) {
  absl::StatusOr<endpoint::Endpoint> server = endpoint::Parse("target", options.target);
  if (!server.ok()) return server.status();
  return std::make_unique<EitherCoder>(*server, options);
}

}  // namespace parity::client
