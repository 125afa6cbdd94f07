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

const char* OutputsOf(Operation operation) {
  return operation == Operation::kReconstruct ? "out" : "parity";
}

bool Overlap(const uint8_t* a, size_t a_bytes, const uint8_t* b, size_t b_bytes) {
  const auto a_start = reinterpret_cast<uintptr_t>(a);
  const auto b_start = reinterpret_cast<uintptr_t>(b);
  return a_start - b_start < b_bytes || b_start - a_start < a_bytes;
}

// That they are as many, and apart from each other and the shards, but for one that takes the place
// of a shard.
absl::Status CheckOutputs(const Request& request, size_t wanted) {
  const std::string field = OutputsOf(request.operation);
  const absl::Span<uint8_t* const> outputs = request.outputs;
  if (outputs.size() != wanted) {
    return InvalidField(field, absl::StrCat(outputs.size(), " buffers"), absl::StrCat(wanted));
  }
  const size_t bytes = request.shard_bytes;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto overlaps = [&](const std::string& other, size_t index) {
      return InvalidField(absl::StrCat(field, "[", i, "]"),
                          absl::StrCat("memory that overlaps ", other, "[", index, "]"),
                          "memory of its own");
    };
    for (size_t other = 0; other < i; ++other) {
      if (Overlap(outputs[i], bytes, outputs[other], bytes)) return overlaps(field, other);
    }
    for (size_t shard = 0; shard < request.shards.size(); ++shard) {
      const ShardBytes source = request.shards[shard];
      const bool is_the_same = request.operation != Operation::kUpdate &&
                               source.data() == outputs[i] && source.size() == bytes;
      if (!source.empty() && !is_the_same &&
          Overlap(outputs[i], bytes, source.data(), source.size())) {
        return overlaps("shards", shard);
      }
    }
  }
  return absl::OkStatus();
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
      if (status.ok()) status = CheckOutputs(request, geometry.parity_shards());
      break;
    case Operation::kReconstruct:
      if (request.indices.empty()) {
        return InvalidField("present", "none", "the shards that are left");
      }
      if (request.wanted.empty()) return InvalidField("wanted", "none", "a shard to compute");
      status = CheckShards("shards", request.shards, request.indices.size(), request.shard_bytes);
      if (status.ok()) status = CheckOutputs(request, request.wanted.size());
      break;
    case Operation::kVerify:
      status = CheckShards("shards", request.shards, geometry.total_shards(), request.shard_bytes);
      break;
    case Operation::kUpdate:
      status = CheckChanged(request);
      if (status.ok()) status = CheckOutputs(request, geometry.parity_shards());
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
