// The operations on stripes.
#include <algorithm>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "arguments.h"
#include "boundary.h"
#include "handles.h"
#include "parity/client/coder.h"
#include "parity/codec/codec.h"
#include "parity/codec/field_error.h"

namespace parity::capi {
namespace {

using client::Operation;

// What all operations take.
class Call {
 public:
  static absl::StatusOr<Call> Make(parity_client* client, const parity_geometry* geometry,
                                   size_t shard_bytes, const parity_call_options* options) {
    if (client == nullptr) return NullArgument("client");
    absl::StatusOr<codec::Geometry> checked = GeometryFrom(geometry);
    if (!checked.ok()) return checked.status();
    const absl::StatusOr<client::CallOptions> call_options = CallOptionsFrom(options);
    if (!call_options.ok()) return call_options.status();
    if (shard_bytes == 0) return codec::InvalidField("shard_bytes", 0, "at least 1 byte");
    return Call(*client->client, *std::move(checked), shard_bytes, *call_options);
  }

  const codec::Geometry& geometry() const { return geometry_; }

  absl::Status Run(Operation operation, absl::Span<const uint32_t> indices,
                   absl::Span<const uint32_t> wanted, const ShardList& shards,
                   absl::Span<uint8_t* const> outputs, codec::VerifyReport* report = nullptr) {
    return client_.Run(
        {operation, geometry_, indices, wanted, shards, shard_bytes_, outputs, report}, options_);
  }

 private:
  Call(client::Client& client, codec::Geometry geometry, size_t shard_bytes,
       const client::CallOptions& options)
      : client_(client),
        geometry_(std::move(geometry)),
        shard_bytes_(shard_bytes),
        options_(options) {}

  client::Client& client_;
  codec::Geometry geometry_;
  size_t shard_bytes_;
  client::CallOptions options_;
};

}  // namespace
}  // namespace parity::capi

using parity::capi::AddShards;
using parity::capi::AtBoundary;
using parity::capi::Call;
using parity::capi::IndicesFrom;
using parity::capi::NullArgument;
using parity::capi::OutputsFrom;
using parity::capi::ShardList;
using parity::client::Operation;

parity_status parity_encode(parity_client* client, const parity_geometry* geometry,
                            size_t shard_bytes, const uint8_t* const* shards, const size_t* lengths,
                            size_t shard_count, uint8_t* const* parity, size_t parity_count,
                            const parity_call_options* options, parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    absl::StatusOr<Call> call = Call::Make(client, geometry, shard_bytes, options);
    if (!call.ok()) return call.status();
    ShardList list;
    absl::Status status = AddShards("shards", shards, lengths, shard_count,
                                    call->geometry().data_shards(), shard_bytes, list);
    if (!status.ok()) return status;
    const auto outputs =
        OutputsFrom("parity", parity, parity_count, call->geometry().parity_shards());
    if (!outputs.ok()) return outputs.status();
    return call->Run(Operation::kEncode, {}, {}, list, *outputs);
  });
}

parity_status parity_reconstruct(parity_client* client, const parity_geometry* geometry,
                                 size_t shard_bytes, const uint32_t* present,
                                 const uint8_t* const* shards, const size_t* lengths,
                                 size_t present_count, const uint32_t* wanted, uint8_t* const* out,
                                 size_t wanted_count, const parity_call_options* options,
                                 parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    absl::StatusOr<Call> call = Call::Make(client, geometry, shard_bytes, options);
    if (!call.ok()) return call.status();
    const size_t total = call->geometry().total_shards();
    const auto indices = IndicesFrom("present", present, present_count, total);
    if (!indices.ok()) return indices.status();
    if (indices->empty()) {
      return parity::codec::InvalidField("present", "none", "the shards that are left");
    }
    ShardList list;
    absl::Status status =
        AddShards("shards", shards, lengths, present_count, present_count, shard_bytes, list);
    if (!status.ok()) return status;
    const auto lost = IndicesFrom("wanted", wanted, wanted_count, total);
    if (!lost.ok()) return lost.status();
    if (lost->empty()) return parity::codec::InvalidField("wanted", "none", "a shard to compute");
    const auto outputs = OutputsFrom("out", out, wanted_count, wanted_count);
    if (!outputs.ok()) return outputs.status();
    return call->Run(Operation::kReconstruct, *indices, *lost, list, *outputs);
  });
}

parity_status parity_verify(parity_client* client, const parity_geometry* geometry,
                            size_t shard_bytes, const uint8_t* const* shards, const size_t* lengths,
                            size_t shard_count, parity_mismatch* mismatches,
                            size_t mismatch_capacity, size_t* mismatch_count, int32_t* suspect,
                            const parity_call_options* options, parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    absl::StatusOr<Call> call = Call::Make(client, geometry, shard_bytes, options);
    if (!call.ok()) return call.status();
    ShardList list;
    absl::Status status = AddShards("shards", shards, lengths, shard_count,
                                    call->geometry().total_shards(), shard_bytes, list);
    if (!status.ok()) return status;
    if (mismatches == nullptr && mismatch_capacity != 0) return NullArgument("mismatches");
    if (mismatch_count == nullptr) return NullArgument("mismatch_count");
    parity::codec::VerifyReport report;
    status = call->Run(Operation::kVerify, {}, {}, list, {}, &report);
    if (!status.ok()) return status;
    *mismatch_count = report.mismatches.size();
    const size_t room = std::min(mismatch_capacity, report.mismatches.size());
    for (size_t i = 0; i < room; ++i) {
      mismatches[i] = {report.mismatches[i].offset, report.mismatches[i].shard, 0};
    }
    if (suspect != nullptr) {
      *suspect = report.suspect.has_value() ? static_cast<int32_t>(*report.suspect) : -1;
    }
    return absl::OkStatus();
  });
}

parity_status parity_update(parity_client* client, const parity_geometry* geometry,
                            size_t shard_bytes, const uint32_t* changed,
                            const uint8_t* const* old_shards, const size_t* old_lengths,
                            const uint8_t* const* new_shards, const size_t* new_lengths,
                            size_t changed_count, uint8_t* const* parity, size_t parity_count,
                            const parity_call_options* options, parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    absl::StatusOr<Call> call = Call::Make(client, geometry, shard_bytes, options);
    if (!call.ok()) return call.status();
    const auto indices =
        IndicesFrom("changed", changed, changed_count, call->geometry().data_shards());
    if (!indices.ok()) return indices.status();
    ShardList list;
    absl::Status status = AddShards("old_shards", old_shards, old_lengths, changed_count,
                                    changed_count, shard_bytes, list);
    if (!status.ok()) return status;
    status = AddShards("new_shards", new_shards, new_lengths, changed_count, changed_count,
                       shard_bytes, list);
    if (!status.ok()) return status;
    const auto outputs =
        OutputsFrom("parity", parity, parity_count, call->geometry().parity_shards());
    if (!outputs.ok()) return outputs.status();
    if (indices->empty()) return absl::OkStatus();
    return call->Run(Operation::kUpdate, *indices, {}, list, *outputs);
  });
}

parity_status parity_shards_needed(const parity_geometry* geometry, const uint32_t* available,
                                   size_t available_count, const uint32_t* wanted,
                                   size_t wanted_count, uint32_t* needed, size_t needed_capacity,
                                   size_t* needed_count, parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    const auto checked = parity::capi::GeometryFrom(geometry);
    if (!checked.ok()) return checked.status();
    const size_t total = checked->total_shards();
    const auto left = IndicesFrom("available", available, available_count, total);
    if (!left.ok()) return left.status();
    const auto lost = IndicesFrom("wanted", wanted, wanted_count, total);
    if (!lost.ok()) return lost.status();
    if (needed == nullptr && needed_capacity != 0) return NullArgument("needed");
    if (needed_count == nullptr) return NullArgument("needed_count");
    const auto found = parity::client::ShardsNeeded(*checked, *left, *lost);
    if (!found.ok()) return found.status();
    *needed_count = found->size();
    if (found->size() > needed_capacity) {
      return parity::codec::InvalidField("needed", absl::StrCat("room for ", needed_capacity),
                                         absl::StrCat(found->size()));
    }
    std::copy(found->begin(), found->end(), needed);
    return absl::OkStatus();
  });
}
