#include "stripe_buffer.h"

#include <new>

#include "checksum.h"

namespace parity::shardfile {
namespace {

// Of a cache line: cells that have no odd length start on one.
constexpr std::align_val_t kAlignment{64};

absl::StatusOr<client::Buffer> OrdinaryMemory(size_t bytes) {
  void* const data = ::operator new(bytes, kAlignment, std::nothrow);
  if (data == nullptr) return absl::ResourceExhaustedError("no memory for a stripe");
  return client::Buffer(static_cast<uint8_t*>(data), bytes, false,
                        {data, [](void* cells) { ::operator delete(cells, kAlignment); }});
}

}  // namespace

absl::StatusOr<StripeBuffer> StripeBuffer::Make(const Layout& layout, const RunOptions& run) {
  const size_t bytes = size_t{layout.cell_bytes()} * layout.geometry().total_shards();
  absl::StatusOr<client::Buffer> memory =
      run.allocate ? run.allocate(bytes) : OrdinaryMemory(bytes);
  if (!memory.ok()) return memory.status();
  return StripeBuffer(layout, *std::move(memory));
}

void StripeBuffer::Reset(uint64_t stripe) {
  stripe_ = stripe;
  cell_bytes_ = layout_.cell_bytes(stripe);
  bad_.assign(layout_.blocks(stripe), ShardMask());
}

std::vector<client::ShardBytes> StripeBuffer::cells(uint32_t first, uint32_t count) {
  std::vector<client::ShardBytes> cells;
  cells.reserve(count);
  for (uint32_t shard = first; shard < first + count; ++shard) {
    cells.emplace_back(cell(shard), cell_bytes_);
  }
  return cells;
}

bool StripeBuffer::Read(uint32_t shard, const ShardReader* reader) {
  if (reader == nullptr) {
    for (ShardMask& block : bad_) block.set(shard);
    return false;
  }
  const CellState state = reader->ReadCell(stripe_, cell(shard));
  for (uint32_t block : state.bad_blocks) bad_[block].set(shard);
  return state.complete;
}

absl::Status StripeBuffer::Write(uint32_t shard, const OutputFile& file) {
  const absl::Span<const uint8_t> bytes(cell(shard), cell_bytes_);
  std::vector<uint8_t> checksums(size_t{layout_.blocks(stripe_)} * kChecksumBytes);
  ChecksumBlocks(bytes, layout_.block_bytes(), checksums.data());
  if (absl::Status status = file.WriteAt(layout_.record_offset(stripe_), bytes); !status.ok()) {
    return status;
  }
  return file.WriteAt(layout_.checksum_offset(stripe_), checksums);
}

ShardMask StripeBuffer::BadAnywhere() const {
  ShardMask bad;
  for (const ShardMask& block : bad_) bad |= block;
  return bad;
}

}  // namespace parity::shardfile
