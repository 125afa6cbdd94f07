// Which shard of an inconsistent stripe is wrong.
#ifndef PARITY_CODEC_SUSPECT_H_
#define PARITY_CODEC_SUSPECT_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "parity/codec/factors.h"
#include "parity/codec/shard.h"

namespace parity::codec {

// The one shard whose corruption alone explains what does not match at `offset`; see
// VerifyReport::suspect. `shards` are all k+m.
std::optional<uint32_t> Suspect(const Factors& generator, absl::Span<const Shard> shards,
                                uint64_t offset);

}  // namespace parity::codec

#endif  // PARITY_CODEC_SUSPECT_H_
