// Sums of shards, cut into the kernels' jobs.
#ifndef PARITY_CODEC_PLAN_H_
#define PARITY_CODEC_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "parity/codec/batch.h"
#include "parity/codec/shard.h"

namespace parity::codec {

// Queue, run by run of the sources: outputs[r][0..bytes) = the sum of the sources with these
// factors; or += that of the differences between new and old sources, of which there are as many.
void PlanGenerate(absl::Span<const Shard> sources, size_t bytes, absl::Span<uint8_t* const> outputs,
                  const std::shared_ptr<const Factors>& factors, Batch& batch);
void PlanUpdate(absl::Span<const Shard> old_sources, absl::Span<const Shard> new_sources,
                size_t bytes, absl::Span<uint8_t* const> outputs,
                const std::shared_ptr<const Factors>& factors, Batch& batch);

}  // namespace parity::codec

#endif  // PARITY_CODEC_PLAN_H_
