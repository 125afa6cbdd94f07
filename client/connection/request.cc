#include "parity/client/request.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using codec::InvalidField;

absl::Status CheckShards(const std::string& field, absl::Span<const ShardBytes> shards,
                         size_t wanted, size_t shard_bytes) {
  if (shards.size() != wanted) {
    return InvalidField(field, shards.size(), absl::StrCat(wanted, " shards"));
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].size() > shard_bytes) {
      return InvalidField(absl::StrCat(field, "[", i, "]"),
                          absl::StrCat(shards[i].size(), " bytes"),
                          absl::StrCat("at most shard_bytes (", shard_bytes, ")"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(const Request& request, size_t wanted) {
  if (request.outputs.size() == wanted) return absl::OkStatus();
  return InvalidField("out", absl::StrCat(request.outputs.size(), " buffers"),
                      absl::StrCat(wanted));
}

absl::Status CheckChanged(const Request& request) {
  const size_t changed = request.indices.size();
  if (request.shards.size() != 2 * changed) {
    return InvalidField("shards", request.shards.size(),
                        absl::StrCat(2 * changed, " shards, the old ones and the new ones"));
  }
  absl::Status status =
      CheckShards("old_shards", request.shards.first(changed), changed, request.shard_bytes);
  status.Update(
      CheckShards("new_shards", request.shards.last(changed), changed, request.shard_bytes));
  return status;
}

uint64_t FirstOffset(const codec::VerifyReport& report) {
  return report.consistent() ? UINT64_MAX : report.first_offset();
}

}  // namespace

const char* NameOf(Operation operation) {
  switch (operation) {
    case Operation::kEncode:
      return "encode";
    case Operation::kReconstruct:
      return "reconstruct";
    case Operation::kVerify:
      return "verify";
    case Operation::kUpdate:
      return "update";
  }
  return "";
}

absl::Status CheckRequest(const Request& request) {
  const codec::Geometry& geometry = request.geometry;
  if (request.shard_bytes == 0) return InvalidField("shard_bytes", 0, "at least 1 byte");
  absl::Status status;
  switch (request.operation) {
    case Operation::kEncode:
      status = CheckShards("shards", request.shards, geometry.data_shards(), request.shard_bytes);
      status.Update(CheckOutputs(request, geometry.parity_shards()));
      break;
    case Operation::kReconstruct:
      if (request.indices.empty()) {
        return InvalidField("present", "none", "the shards that are left");
      }
      if (request.wanted.empty()) return InvalidField("wanted", "none", "a shard to compute");
      status = CheckShards("shards", request.shards, request.indices.size(), request.shard_bytes);
      status.Update(CheckOutputs(request, request.wanted.size()));
      break;
    case Operation::kVerify:
      status = CheckShards("shards", request.shards, geometry.total_shards(), request.shard_bytes);
      break;
    case Operation::kUpdate:
      status = CheckChanged(request);
      status.Update(CheckOutputs(request, geometry.parity_shards()));
      break;
  }
  return status;
}

uint64_t BytesOf(const Request& request) {
  return uint64_t{request.shard_bytes} * (request.shards.size() + request.outputs.size());
}

RequestSlice::RequestSlice(const Request& whole, size_t begin, size_t end)
    : whole_(whole),
      begin_(begin),
      request_{whole.operation, whole.geometry, whole.indices, whole.wanted, {}, end - begin, {}} {
  shards_.reserve(whole.shards.size());
  for (const ShardBytes shard : whole.shards) {
    const size_t from = std::min(begin, shard.size());
    shards_.push_back(shard.subspan(from, std::min(end, shard.size()) - from));
  }
  outputs_.reserve(whole.outputs.size());
  for (uint8_t* const output : whole.outputs) outputs_.push_back(output + begin);
  request_.shards = shards_;
  request_.outputs = outputs_;
  request_.report = &report_;
}

void RequestSlice::MergeReport() const {
  if (whole_.report != nullptr) client::MergeReport(*whole_.report, report_, begin_);
}

void MergeReport(codec::VerifyReport& into, const codec::VerifyReport& found, size_t offset) {
  if (found.consistent()) return;
  if (offset + found.first_offset() < FirstOffset(into)) into.suspect = found.suspect;
  for (const codec::VerifyReport::Mismatch& mismatch : found.mismatches) {
    const codec::VerifyReport::Mismatch here{mismatch.shard, offset + mismatch.offset};
    const auto place = std::lower_bound(
        into.mismatches.begin(), into.mismatches.end(), here.shard,
        [](const codec::VerifyReport::Mismatch& a, uint32_t shard) { return a.shard < shard; });
    if (place == into.mismatches.end() || place->shard != here.shard) {
      into.mismatches.insert(place, here);
    } else {
      place->offset = std::min(place->offset, here.offset);
    }
  }
}

}  // namespace parity::client
