#include "update_range.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::shardfile {

absl::StatusOr<uint64_t> BytesFrom(const Layout& layout, const UpdatePlace& place) {
  uint64_t all = layout.object_bytes();
  if (place.data_shard) {
    const uint32_t data_shards = layout.geometry().data_shards();
    if (*place.data_shard >= data_shards) {
      return codec::InvalidField("data_shard", *place.data_shard,
                                 absl::StrCat("0 to ", data_shards - 1, ", a data shard"));
    }
    if (layout.stripes() > 0) {
      const uint64_t last = layout.stripes() - 1;
      const uint64_t cell_bytes = layout.cell_bytes(last);
      const uint64_t before =
          std::min<uint64_t>(*place.data_shard * cell_bytes, layout.data_bytes(last));
      all = layout.shard_offset(last) +
            std::min<uint64_t>(layout.data_bytes(last) - before, cell_bytes);
    }
  }
  if (place.offset > all) {
    return codec::InvalidField("offset", place.offset, absl::StrCat("at most ", all));
  }
  return all - place.offset;
}

uint64_t UpdateRange::StripeBytes() const {
  const uint64_t cell_bytes = layout_.cell_bytes();
  return place_.data_shard ? cell_bytes : cell_bytes * layout_.geometry().data_shards();
}

std::vector<UpdatePiece> UpdateRange::PiecesOf(uint64_t stripe) const {
  const uint64_t cell_bytes = layout_.cell_bytes(stripe);
  const uint64_t base = stripe * StripeBytes();
  const uint64_t begin = std::max(place_.offset, base) - base;
  const uint64_t end = std::min(place_.offset + bytes_ - base, StripeBytes());
  std::vector<UpdatePiece> pieces;
  if (place_.data_shard) {
    return {{*place_.data_shard, static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
             base + begin - place_.offset}};
  }
  for (uint64_t at = begin; at < end;) {
    const uint64_t shard = at / cell_bytes;
    const uint64_t next = std::min((shard + 1) * cell_bytes, end);
    pieces.push_back({static_cast<uint32_t>(shard), static_cast<uint32_t>(at - shard * cell_bytes),
                      static_cast<uint32_t>(next - shard * cell_bytes), base + at - place_.offset});
    at = next;
  }
  return pieces;
}

std::vector<UpdateRun> UpdateRange::RunsOf(const std::vector<UpdatePiece>& pieces) const {
  const uint32_t block_bytes = layout_.block_bytes();
  uint32_t end_block = 0;
  for (const UpdatePiece& piece : pieces) {
    end_block = std::max(end_block, (piece.end - 1) / block_bytes + 1);
  }
  std::vector<UpdateRun> runs;
  for (uint32_t block = 0; block < end_block; ++block) {
    std::vector<uint32_t> touching;
    for (uint32_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].begin / block_bytes <= block && block <= (pieces[i].end - 1) / block_bytes) {
        touching.push_back(i);
      }
    }
    if (touching.empty()) continue;
    if (!runs.empty() && runs.back().first_block + runs.back().blocks == block &&
        runs.back().pieces == touching) {
      ++runs.back().blocks;
    } else {
      runs.push_back({block, 1, std::move(touching)});
    }
  }
  return runs;
}

}  // namespace parity::shardfile
