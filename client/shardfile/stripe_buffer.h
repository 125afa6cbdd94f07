// Memory for one stripe, and which of it cannot be trusted.
#ifndef PARITY_SHARDFILE_STRIPE_BUFFER_H_
#define PARITY_SHARDFILE_STRIPE_BUFFER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/client/buffer.h"
#include "parity/client/coder.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/output_file.h"
#include "parity/shardfile/run_options.h"
#include "parity/shardfile/shard_reader.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

// The k+m cells lie back to back in the order of the shards, so that data is read from and written
// to an object in one piece, and a server is sent it in one.
class StripeBuffer {
 public:
  // For stripes of this layout, one after the other. RESOURCE_EXHAUSTED if there is no memory.
  static absl::StatusOr<StripeBuffer> Make(const Layout& layout, const RunOptions& run);

  // The contents become those of another stripe: unspecified, and all trusted.
  void Reset(uint64_t stripe);

  uint64_t stripe() const { return stripe_; }
  uint32_t cell_bytes() const { return cell_bytes_; }
  uint8_t* cell(uint32_t shard) { return memory_.data() + size_t{shard} * cell_bytes_; }
  absl::Span<uint8_t> data() {
    return absl::MakeSpan(memory_.data(), size_t{cell_bytes_} * layout_.geometry().data_shards());
  }
  // The cells of shards [first, first + count).
  std::vector<client::ShardBytes> cells(uint32_t first, uint32_t count);

  // Reads a cell of the stripe, or knows it for lost if there is no reader. Returns whether all
  // bytes are there, trusted or not.
  bool Read(uint32_t shard, const ShardReader* reader);
  // Writes a cell and its checksums to where they belong in the shard's file.
  absl::Status Write(uint32_t shard, const OutputFile& file);
  // By block: the shards that cannot be trusted there. Shards that were not read count as good.
  absl::Span<const ShardMask> bad() const { return bad_; }
  // The shards that are bad in some block.
  ShardMask BadAnywhere() const;

 private:
  StripeBuffer(const Layout& layout, client::Buffer memory)
      : layout_(layout), memory_(std::move(memory)) {}

  Layout layout_;
  client::Buffer memory_;
  uint64_t stripe_ = 0;
  uint32_t cell_bytes_ = 0;
  std::vector<ShardMask> bad_;
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_STRIPE_BUFFER_H_
