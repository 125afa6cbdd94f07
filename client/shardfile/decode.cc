#include "parity/shardfile/decode.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "journal.h"
#include "restore.h"
#include "stripe_pool.h"

namespace parity::shardfile {
namespace {

// Reads the data and, if it takes any, parity shards until every block has k good shards, or until
// there are no more. Where k may not suffice, it reads all.
void ReadEnough(const codec::Geometry& geometry, const ShardReaders& readers,
                StripeBuffer& stripe) {
  const uint32_t k = geometry.data_shards();
  bool enough = false;
  for (uint32_t shard = 0; shard < readers.size(); ++shard) {
    stripe.Read(shard, readers[shard] && !enough ? &*readers[shard] : nullptr);
    const uint32_t read = shard + 1;
    const bool any_k = geometry.any_k_suffice() || stripe.BadAnywhere().none();
    enough = read >= k && any_k &&
             std::all_of(stripe.bad().begin(), stripe.bad().end(),
                         [&](const ShardMask& bad) { return read - bad.count() >= k; });
  }
}

}  // namespace

absl::StatusOr<DecodedObject> DecodeObject(client::Coder& coder, const ShardSet& set,
                                           const std::string& path, const DecodeOptions& options) {
  const absl::StatusOr<ShardReaders> readers = set.Open();
  if (!readers.ok()) return readers.status();
  if (const std::vector<std::string> journals = JournalsOf(set); !journals.empty()) {
    return UnfinishedUpdate(journals.front());
  }
  const Layout& layout = set.layout;
  std::vector<std::unique_ptr<OutputFile>> output;
  absl::StatusOr<std::unique_ptr<OutputFile>> file =
      OutputFile::Create(path, CommonMode(*readers), options.existing);
  if (!file.ok()) return file.status();
  output.push_back(*std::move(file));

  ShardMask data_shards;
  for (uint32_t shard = 0; shard < layout.geometry().data_shards(); ++shard) {
    data_shards.set(shard);
  }
  std::atomic<uint64_t> restored_stripes{0};
  const absl::Status status =
      ForEachStripe(layout, 0, layout.stripes(), options.run, [&](StripeBuffer& stripe) {
        ReadEnough(layout.geometry(), *readers, stripe);
        if ((stripe.BadAnywhere() & data_shards).any()) ++restored_stripes;
        if (absl::Status error = Restore(coder, layout, data_shards, options.run.call(), stripe);
            !error.ok()) {
          return error;
        }
        return output.front()->WriteAt(layout.object_offset(stripe.stripe()),
                                       stripe.data().first(layout.data_bytes(stripe.stripe())));
      });
  if (!status.ok()) return status;
  if (absl::Status error = OutputFile::Commit(output, options.run); !error.ok()) return error;
  return DecodedObject{layout.object_bytes(), restored_stripes};
}

}  // namespace parity::shardfile
