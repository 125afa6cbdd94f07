#include "parity/shardfile/verify.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "journal.h"
#include "stripe_pool.h"

namespace parity::shardfile {
namespace {

// Gathers what the threads find, adjacent blocks as one.
class Findings {
 public:
  void AddBlocks(Damage damage) {
    const std::lock_guard<std::mutex> lock(mutex_);
    damaged_.set(*damage.shard);
    auto next = blocks_.lower_bound({*damage.shard, damage.first_block});
    if (next != blocks_.begin() && Adjacent(std::prev(next)->second, damage)) {
      Damage& previous = std::prev(next)->second;
      Append(previous, damage);
      if (next != blocks_.end() && Adjacent(previous, next->second)) {
        Append(previous, next->second);
        blocks_.erase(next);
      }
    } else if (next != blocks_.end() && Adjacent(damage, next->second)) {
      Append(damage, next->second);
      blocks_.emplace_hint(blocks_.erase(next), KeyOf(damage), damage);
    } else if (HasRoom()) {
      blocks_.emplace_hint(next, KeyOf(damage), damage);
    }
  }

  void AddParity(uint64_t stripe, Damage damage) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++parity_mismatches_;
    if (HasRoom()) parity_.emplace(stripe, std::move(damage));
  }

  // REQUIRES: the threads have ended.
  void MoveTo(SetReport& report) {
    for (auto& [key, damage] : blocks_) report.damages.push_back(std::move(damage));
    for (auto& [stripe, damage] : parity_) report.damages.push_back(std::move(damage));
    report.damages_left_out = left_out_;
    report.damaged |= damaged_;
    report.parity_mismatches = parity_mismatches_;
  }

 private:
  using Key = std::pair<uint32_t, uint64_t>;  // shard, first block

  static Key KeyOf(const Damage& damage) { return {*damage.shard, damage.first_block}; }

  static bool Adjacent(const Damage& a, const Damage& b) {
    return a.shard == b.shard && a.first_block + a.blocks == b.first_block;
  }

  static void Append(Damage& a, const Damage& b) {
    a.blocks += b.blocks;
    a.bytes += b.bytes;
    if (!a.wrong_byte) a.wrong_byte = b.wrong_byte;
  }

  bool HasRoom() {
    if (blocks_.size() + parity_.size() < SetReport::kMaxDamages) return true;
    ++left_out_;
    return false;
  }

  std::mutex mutex_;
  std::map<Key, Damage> blocks_;
  std::map<uint64_t, Damage> parity_;  // by stripe
  ShardMask damaged_;
  uint64_t parity_mismatches_ = 0;
  uint64_t left_out_ = 0;
};

// What is wrong with the file as a whole.
std::optional<Damage> FileDamage(const ShardSet& set, uint32_t shard,
                                 const std::optional<ShardReader>& reader) {
  const ShardSet::Member& member = set.members[shard];
  Damage damage;
  damage.kind = Damage::Kind::kLength;
  damage.shard = shard;
  damage.path = member.path;
  if (!reader) {
    const bool is_there = member.state != ShardSet::Member::State::kMissing;
    damage.kind = is_there ? Damage::Kind::kHeader : Damage::Kind::kMissing;
    damage.reason = std::string(member.fault.message());
  } else if (reader->file_bytes() != set.layout.file_bytes()) {
    damage.reason = absl::StrCat(member.path, ": length: got ", reader->file_bytes(),
                                 " bytes, want ", set.layout.file_bytes());
  } else {
    return std::nullopt;
  }
  return damage;
}

// The runs of bad blocks of one shard in one stripe.
std::vector<Damage> BadRuns(const Layout& layout, const StripeBuffer& stripe, uint32_t shard,
                            const std::string& path) {
  std::vector<Damage> runs;
  for (uint32_t block = 0; block < stripe.bad().size(); ++block) {
    if (!stripe.bad()[block].test(shard)) continue;
    if (block == 0 || !stripe.bad()[block - 1].test(shard)) {
      const uint64_t offset = uint64_t{block} * layout.block_bytes();
      Damage run;
      run.kind = Damage::Kind::kBlocks;
      run.shard = shard;
      run.path = path;
      run.shard_offset = layout.shard_offset(stripe.stripe()) + offset;
      run.file_offset = layout.record_offset(stripe.stripe()) + offset;
      run.first_block = run.shard_offset / layout.block_bytes();
      runs.push_back(std::move(run));
    }
    ++runs.back().blocks;
    runs.back().bytes += layout.block_bytes(stripe.stripe(), block);
  }
  return runs;
}

// One past the last stripe of which any file holds a byte. There is nothing to check beyond, and a
// header can promise more stripes than anybody could read.
uint64_t StoredStripes(const Layout& layout, const ShardReaders& readers) {
  uint64_t longest = 0;
  for (const auto& reader : readers) {
    if (reader) longest = std::max(longest, reader->file_bytes());
  }
  if (longest <= kHeaderBytes || layout.stripes() <= 1) return layout.stripes() == 0 ? 0 : 1;
  const uint64_t record_bytes = layout.record_offset(1) - layout.record_offset(0);
  return std::min(layout.stripes(), (longest - kHeaderBytes + record_bytes - 1) / record_bytes);
}

class SetVerifier {
 public:
  SetVerifier(client::Coder& coder, const ShardSet& set, const ShardReaders& readers,
              const client::CallOptions& call)
      : coder_(coder), set_(set), readers_(readers), call_(call) {}

  absl::Status VerifyStripe(StripeBuffer& stripe) {
    const Layout& layout = set_.layout;
    bool complete = true;
    for (uint32_t shard = 0; shard < readers_.size(); ++shard) {
      complete = readers_[shard] && stripe.Read(shard, &*readers_[shard]) && complete;
    }
    std::optional<codec::VerifyReport> mismatch;
    if (complete) {
      absl::StatusOr<codec::VerifyReport> report =
          coder_.Verify(layout.geometry(), stripe.cells(0, static_cast<uint32_t>(readers_.size())),
                        stripe.cell_bytes(), call_);
      if (!report.ok()) return report.status();
      if (!report->consistent()) mismatch = *std::move(report);
    }
    bool explained = false;
    for (uint32_t shard = 0; shard < readers_.size(); ++shard) {
      for (Damage& run : BadRuns(layout, stripe, shard, set_.members[shard].path)) {
        if (mismatch) run.wrong_byte = WrongByteIn(run, stripe, *mismatch);
        explained = explained || run.wrong_byte;
        findings_.AddBlocks(std::move(run));
      }
    }
    if (mismatch && !explained) {
      findings_.AddParity(stripe.stripe(), ParityDamage(stripe, *mismatch));
    }
    return absl::OkStatus();
  }

  void MoveTo(SetReport& report) { findings_.MoveTo(report); }

 private:
  // The first byte at which the shards disagree, if the bad blocks of the run can be the cause.
  std::optional<uint64_t> WrongByteIn(const Damage& run, const StripeBuffer& stripe,
                                      const codec::VerifyReport& mismatch) const {
    if (mismatch.suspect && mismatch.suspect != run.shard) return std::nullopt;
    const uint64_t wrong = set_.layout.shard_offset(stripe.stripe()) + mismatch.first_offset();
    if (wrong < run.shard_offset || wrong - run.shard_offset >= run.bytes) return std::nullopt;
    return wrong;
  }

  Damage ParityDamage(const StripeBuffer& stripe, const codec::VerifyReport& mismatch) const {
    Damage damage;
    damage.kind = Damage::Kind::kParity;
    damage.shard = mismatch.suspect;
    if (damage.shard) damage.path = set_.members[*damage.shard].path;
    damage.shard_offset = set_.layout.shard_offset(stripe.stripe()) + mismatch.first_offset();
    return damage;
  }

  client::Coder& coder_;
  const ShardSet& set_;
  const ShardReaders& readers_;
  const client::CallOptions call_;
  Findings findings_;
};

}  // namespace

const char* NameOf(Damage::Kind kind) {
  switch (kind) {
    case Damage::Kind::kUpdate:
      return "update";
    case Damage::Kind::kMissing:
      return "missing";
    case Damage::Kind::kHeader:
      return "header";
    case Damage::Kind::kLength:
      return "length";
    case Damage::Kind::kBlocks:
      return "blocks";
    case Damage::Kind::kParity:
      return "parity";
  }
  return "";
}

std::string Damage::ToString() const {
  switch (kind) {
    case Kind::kUpdate:
      return reason;
    case Kind::kMissing:
    case Kind::kHeader:
    case Kind::kLength:
      return absl::StrCat("shard ", *shard, ": ", reason);
    case Kind::kBlocks:
      return absl::StrCat(
          "shard ", *shard, ": ", path, ": ", blocks == 1 ? "block " : "blocks ", first_block,
          blocks == 1 ? "" : absl::StrCat(" to ", first_block + blocks - 1),
          blocks == 1 ? " does" : " do", " not match the checksum: shard offset ", shard_offset,
          ", ", bytes, " bytes, file offset ", file_offset,
          wrong_byte ? absl::StrCat("; wrong byte at shard offset ", *wrong_byte) : "");
    case Kind::kParity:
      return absl::StrCat("parity: all checksums match, but the shards differ at shard offset ",
                          shard_offset, "; ",
                          shard ? absl::StrCat("suspect: shard ", *shard, ": ", path)
                                : "which shard is wrong cannot be told");
  }
  return "";
}

absl::StatusOr<SetReport> VerifySet(client::Coder& coder, const ShardSet& set,
                                    const RunOptions& run) {
  const absl::StatusOr<ShardReaders> readers = set.Open();
  if (!readers.ok()) return readers.status();
  SetReport report;
  for (const std::string& journal : JournalsOf(set)) {
    Damage damage;
    damage.kind = Damage::Kind::kUpdate;
    damage.path = journal;
    damage.reason = std::string(UnfinishedUpdate(journal).message());
    report.damages.push_back(std::move(damage));
  }
  for (uint32_t shard = 0; shard < set.members.size(); ++shard) {
    if (std::optional<Damage> damage = FileDamage(set, shard, (*readers)[shard])) {
      report.damaged.set(shard);
      report.damages.push_back(*std::move(damage));
    }
  }
  SetVerifier verifier(coder, set, *readers, run.call());
  const absl::Status status =
      ForEachStripe(set.layout, 0, StoredStripes(set.layout, *readers), run,
                    [&verifier](StripeBuffer& stripe) { return verifier.VerifyStripe(stripe); });
  if (!status.ok()) return status;
  verifier.MoveTo(report);
  return report;
}

}  // namespace parity::shardfile
