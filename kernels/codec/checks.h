// Checks of what callers pass to a Codec. Errors are INVALID_ARGUMENT and name the field.
#ifndef PARITY_CODEC_CHECKS_H_
#define PARITY_CODEC_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/codec/shard.h"
#include "recipe.h"

namespace parity::codec {

inline constexpr size_t kMaxShardBytes = size_t{1} << 40;

absl::Status CheckCount(std::string_view field, size_t got, size_t want);

// That no shard is longer than shard_bytes, which must be at most 2^40.
absl::Status CheckLengths(std::string_view field, absl::Span<const Shard> shards,
                          size_t shard_bytes);

// That the indices are less than `end` and none is there twice. Returns them as a set.
absl::StatusOr<ShardMask> CheckIndices(std::string_view field, absl::Span<const uint32_t> indices,
                                       uint32_t end);

// The same of indices of shards to compute, none of which is in `present`.
absl::StatusOr<ShardMask> CheckWanted(absl::Span<const uint32_t> wanted, uint32_t end,
                                      const ShardMask& present);

// That no two outputs of `bytes` bytes overlap.
absl::Status CheckDistinct(std::string_view field, absl::Span<uint8_t* const> outputs,
                           size_t bytes);

enum class Sharing {
  kNone,   // an output may share no byte with a source
  kWhole,  // or all of its bytes, with a source in one segment
};

// That the outputs overlap the sources only as `sharing` allows.
// REQUIRES: CheckLengths(source_field, sources, bytes) is OK.
absl::Status CheckOverlap(std::string_view field, absl::Span<uint8_t* const> outputs,
                          std::string_view source_field, absl::Span<const Shard> sources,
                          size_t bytes, Sharing sharing);

// Whether the outputs, and the outputs and the sources, are apart; all have so many bytes.
bool AreApart(absl::Span<uint8_t* const> outputs, absl::Span<const uint8_t* const> sources,
              size_t bytes);

}  // namespace parity::codec

#endif  // PARITY_CODEC_CHECKS_H_
