// Arguments of C as those of a coder: views of the caller's memory, checked as far as they are
// followed.
#ifndef PARITY_CLIENT_CAPI_ARGUMENTS_H_
#define PARITY_CLIENT_CAPI_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity.h"
#include "parity/client/call_options.h"
#include "parity/client/request.h"
#include "parity/codec/geometry.h"

namespace parity::capi {

// Errors of all: INVALID_ARGUMENT naming `field` or, where there is none, what parity.h says.

absl::StatusOr<codec::Geometry> GeometryFrom(const parity_geometry* geometry);

absl::StatusOr<client::CallOptions> CallOptionsFrom(const parity_call_options* options);

// Shards that need no memory of their own: those of most stripes.
using ShardList = absl::InlinedVector<client::ShardBytes, 32>;

// Adds `count` shards to `list`; `want` are wanted. Their lengths are not compared with
// shard_bytes.
absl::Status AddShards(std::string_view field, const uint8_t* const* shards, const size_t* lengths,
                       size_t count, size_t want, size_t shard_bytes, ShardList& list);

absl::StatusOr<absl::Span<uint8_t* const>> OutputsFrom(std::string_view field,
                                                       uint8_t* const* outputs, size_t count,
                                                       size_t want);

// At most `most`. Their values are not checked.
absl::StatusOr<absl::Span<const uint32_t>> IndicesFrom(std::string_view field,
                                                       const uint32_t* indices, size_t count,
                                                       size_t most);

}  // namespace parity::capi

#endif  // PARITY_CLIENT_CAPI_ARGUMENTS_H_
