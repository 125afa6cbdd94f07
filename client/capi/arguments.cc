#include "arguments.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "boundary.h"
#include "handles.h"
#include "parity/codec/field_error.h"

namespace parity::capi {
namespace {

using codec::InvalidField;

std::string Indexed(std::string_view field, size_t index) {
  return absl::StrCat(std::string(field), "[", index, "]");
}

}  // namespace

absl::StatusOr<codec::Geometry> GeometryFrom(const parity_geometry* geometry) {
  if (geometry == nullptr) return NullArgument("geometry");
  if (geometry->code < PARITY_CODE_XOR || geometry->code > PARITY_CODE_REED_SOLOMON) {
    return InvalidField("geometry.code", geometry->code, "a PARITY_CODE");
  }
  if (geometry->matrix > PARITY_MATRIX_CUSTOM) {
    return InvalidField("geometry.matrix", geometry->matrix, "a PARITY_MATRIX");
  }
  if (geometry->generator == nullptr && geometry->generator_bytes != 0) {
    return NullArgument("geometry.generator");
  }
  if (geometry->matrix == PARITY_MATRIX_CUSTOM && geometry->code == PARITY_CODE_REED_SOLOMON) {
    return codec::Geometry::MakeCustom(geometry->data_shards, geometry->parity_shards,
                                       {geometry->generator, geometry->generator_bytes});
  }
  if (geometry->generator_bytes != 0) {
    return InvalidField("geometry.generator", absl::StrCat(geometry->generator_bytes, " bytes"),
                        "none, as the matrix is not custom");
  }
  return codec::Geometry::Make(
      static_cast<codec::Code>(geometry->code), geometry->data_shards, geometry->parity_shards,
      geometry->matrix == PARITY_MATRIX_DEFAULT
          ? std::nullopt
          : std::optional<codec::Matrix>(static_cast<codec::Matrix>(geometry->matrix)));
}

absl::StatusOr<client::CallOptions> CallOptionsFrom(const parity_call_options* options) {
  client::CallOptions result;
  if (options == nullptr) return result;
  // A shorter one is of an earlier version; a longer one of a later, whose further members this one
  // would ignore.
  const bool has_traceparent = options->struct_bytes == sizeof(parity_call_options);
  if (!has_traceparent && options->struct_bytes != offsetof(parity_call_options, traceparent)) {
    return InvalidField("options.struct_bytes", options->struct_bytes,
                        absl::StrCat(sizeof(parity_call_options)));
  }
  if (options->deadline_ms < 0) {
    result.deadline = absl::InfinitePast();
  } else if (options->deadline_ms > 0) {
    result.deadline = absl::Now() + absl::Milliseconds(options->deadline_ms);
  }
  if (options->cancellation != nullptr) result.cancellation = &options->cancellation->cancellation;
  if (has_traceparent && options->traceparent != nullptr) result.traceparent = options->traceparent;
  return result;
}

absl::Status AddShards(std::string_view field, const uint8_t* const* shards, const size_t* lengths,
                       size_t count, size_t want, size_t shard_bytes, ShardList& list) {
  if (count != want) return InvalidField(field, count, absl::StrCat(want, " shards"));
  if (shards == nullptr && count != 0) return NullArgument(field);
  list.reserve(list.size() + count);
  for (size_t i = 0; i < count; ++i) {
    const size_t bytes = lengths == nullptr ? shard_bytes : lengths[i];
    if (shards[i] == nullptr && bytes != 0) return NullArgument(Indexed(field, i));
    list.emplace_back(shards[i], bytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<uint8_t* const>> OutputsFrom(std::string_view field,
                                                       uint8_t* const* outputs, size_t count,
                                                       size_t want) {
  if (count != want) return InvalidField(field, count, absl::StrCat(want, " buffers"));
  if (outputs == nullptr && count != 0) return NullArgument(field);
  const absl::Span<uint8_t* const> all(outputs, count);
  const auto null = std::find(all.begin(), all.end(), nullptr);
  if (null != all.end()) return NullArgument(Indexed(field, null - all.begin()));
  return all;
}

absl::StatusOr<absl::Span<const uint32_t>> IndicesFrom(std::string_view field,
                                                       const uint32_t* indices, size_t count,
                                                       size_t most) {
  if (count > most) return InvalidField(field, count, absl::StrCat("at most ", most, " shards"));
  if (indices == nullptr && count != 0) return NullArgument(field);
  return absl::Span<const uint32_t>(indices, count);
}

}  // namespace parity::capi
