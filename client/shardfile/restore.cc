#include "restore.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace parity::shardfile {
namespace {

std::vector<uint32_t> Members(const ShardMask& mask) {
  std::vector<uint32_t> members;
  for (uint32_t shard = 0; shard < mask.size(); ++shard) {
    if (mask.test(shard)) members.push_back(shard);
  }
  return members;
}

// Bytes [begin, begin + bytes) of each cell, all of which have the same bad shards.
absl::Status RestoreRun(client::Coder& coder, const Layout& layout, const ShardMask& bad,
                        const ShardMask& wanted, uint32_t begin, uint32_t bytes,
                        const client::CallOptions& call, StripeBuffer& stripe) {
  const codec::Geometry& geometry = layout.geometry();
  const auto lost = [&](const std::string& limit) {
    const uint64_t offset = layout.shard_offset(stripe.stripe()) + begin;
    return absl::DataLossError(absl::StrCat(
        "stripe ", stripe.stripe(), ", shard offset ", offset, ", ", bytes, " bytes: ", bad.count(),
        " of ", geometry.total_shards(), " shards are missing or damaged (",
        absl::StrJoin(Members(bad), ", "), "), ", limit));
  };
  if (bad.count() > geometry.parity_shards()) {
    return lost(absl::StrCat("at most ", geometry.parity_shards(), " can be"));
  }
  std::vector<uint32_t> present;
  std::vector<client::ShardBytes> shards;
  for (uint32_t shard = 0; shard < geometry.total_shards(); ++shard) {
    if (bad.test(shard)) continue;
    if (geometry.any_k_suffice() && present.size() == geometry.data_shards()) break;
    present.push_back(shard);
    shards.emplace_back(stripe.cell(shard) + begin, bytes);
  }
  const std::vector<uint32_t> restored = Members(bad & wanted);
  std::vector<uint8_t*> out;
  for (uint32_t shard : restored) out.push_back(stripe.cell(shard) + begin);
  absl::Status status = coder.Reconstruct(geometry, present, shards, bytes, restored, out, call);
  if (!absl::IsFailedPrecondition(status)) return status;
  return lost(absl::StrCat("which the ", std::string(codec::NameOf(geometry.matrix())),
                           " matrix cannot bear"));
}

}  // namespace

absl::Status Restore(client::Coder& coder, const Layout& layout, const ShardMask& wanted,
                     const client::CallOptions& call, StripeBuffer& stripe) {
  const absl::Span<const ShardMask> bad = stripe.bad();
  for (size_t block = 0; block < bad.size();) {
    const auto end = std::find_if(bad.begin() + block, bad.end(),
                                  [&](const ShardMask& mask) { return mask != bad[block]; });
    const auto end_block = static_cast<size_t>(end - bad.begin());
    const auto begin = static_cast<uint32_t>(block * layout.block_bytes());
    const uint32_t bytes =
        std::min(static_cast<uint32_t>(end_block * layout.block_bytes()), stripe.cell_bytes()) -
        begin;
    if ((bad[block] & wanted).any()) {
      if (absl::Status status =
              RestoreRun(coder, layout, bad[block], wanted, begin, bytes, call, stripe);
          !status.ok()) {
        return status;
      }
    }
    block = end_block;
  }
  return absl::OkStatus();
}

}  // namespace parity::shardfile
