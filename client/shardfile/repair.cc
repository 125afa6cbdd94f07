#include "parity/shardfile/repair.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "journal.h"
#include "parity/shardfile/output_file.h"
#include "parity/shardfile/verify.h"
#include "restore.h"
#include "stripe_pool.h"

namespace parity::shardfile {
namespace {

namespace fs = std::filesystem;

absl::Status RefuseParityMismatch(const SetReport& report) {
  const auto first =
      std::find_if(report.damages.begin(), report.damages.end(),
                   [](const Damage& damage) { return damage.kind == Damage::Kind::kParity; });
  return absl::DataLossError(absl::StrCat(first->ToString(), "; nothing was repaired"));
}

// How one of the two passes over the object runs: its progress is half of the whole.
RunOptions PassOf(const RunOptions& run, uint64_t pass) {
  RunOptions half = run;
  if (run.progress) {
    half.progress = [&run, pass](uint64_t done, uint64_t total) {
      run.progress(pass * total + done, 2 * total);
    };
  }
  return half;
}

// The new files.
class Rebuild {
 public:
  Rebuild(client::Coder& coder, const ShardSet& set, const ShardReaders& readers,
          const ShardMask& damaged, const client::CallOptions& call)
      : coder_(coder), set_(set), readers_(readers), damaged_(damaged), call_(call) {}

  absl::Status CreateFiles(const std::string& directory) {
    const mode_t mode = CommonMode(readers_);
    for (uint32_t shard = 0; shard < readers_.size(); ++shard) {
      if (!damaged_.test(shard)) continue;
      const std::string& old = set_.members[shard].path;
      const std::string path =
          directory.empty() ? old : (fs::path(directory) / fs::path(old).filename()).string();
      std::error_code error;
      const bool replaces = set_.members[shard].state != ShardSet::Member::State::kMissing &&
                            fs::equivalent(old, path, error);
      if (replaces && set_.members[shard].state == ShardSet::Member::State::kRefused) {
        return set_.members[shard].fault;
      }
      absl::StatusOr<std::unique_ptr<OutputFile>> file =
          OutputFile::Create(path, mode, replaces ? Existing::kReplace : Existing::kRefuse);
      if (!file.ok()) return file.status();
      const Header header{set_.object_id, set_.layout, shard};
      if (absl::Status status = (*file)->WriteAt(0, EncodeHeader(header)); !status.ok()) {
        return status;
      }
      files_.push_back(*std::move(file));
      rebuilt_.push_back({shard, path});
    }
    return absl::OkStatus();
  }

  absl::Status RebuildStripe(StripeBuffer& stripe) const {
    for (uint32_t shard = 0; shard < readers_.size(); ++shard) {
      stripe.Read(shard, readers_[shard] ? &*readers_[shard] : nullptr);
    }
    const ShardMask bad = stripe.BadAnywhere();
    for (uint32_t shard = 0; shard < readers_.size(); ++shard) {
      if (bad.test(shard) && !damaged_.test(shard)) {
        return absl::AbortedError(absl::StrCat(set_.members[shard].path,
                                               ": was damaged while other shards were repaired"));
      }
    }
    if (bad.any()) {  // a stripe without damage has been verified as it is
      if (absl::Status status = Restore(coder_, set_.layout, bad, call_, stripe); !status.ok()) {
        return status;
      }
      if (absl::Status status = CheckParity(stripe); !status.ok()) return status;
    }
    for (size_t i = 0; i < files_.size(); ++i) {
      if (absl::Status status = stripe.Write(rebuilt_[i].index, *files_[i]); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<RebuiltShard>> Commit(const RunOptions& run) {
    if (absl::Status status = OutputFile::Commit(files_, run); !status.ok()) return status;
    return std::move(rebuilt_);
  }

 private:
  absl::Status CheckParity(StripeBuffer& stripe) const {
    const absl::StatusOr<codec::VerifyReport> report = coder_.Verify(
        set_.layout.geometry(), stripe.cells(0, static_cast<uint32_t>(readers_.size())),
        stripe.cell_bytes(), call_);
    if (!report.ok()) return report.status();
    if (report->consistent()) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("stripe ", stripe.stripe(),
                     ": the rebuilt shards do not agree with the others at shard offset ",
                     set_.layout.shard_offset(stripe.stripe()) + report->first_offset(),
                     ", although all checksums match; nothing was repaired"));
  }

  client::Coder& coder_;
  const ShardSet& set_;
  const ShardReaders& readers_;
  const ShardMask damaged_;
  const client::CallOptions call_;
  std::vector<std::unique_ptr<OutputFile>> files_;
  std::vector<RebuiltShard> rebuilt_;  // one for each of files_
};

// Returns the shards, locked against another update, if the journals are to stay until those that
// do not have the update are rebuilt.
absl::StatusOr<std::optional<ShardFiles>> FinishUnlessShardsAreLeft(const ShardSet& set,
                                                                    const std::string& directory) {
  RemoveTemporaries(set);
  absl::StatusOr<std::optional<ShardFiles>> files = WriteUnfinished(set);
  if (!files.ok() || !files->has_value()) return files;
  if (AreAllThere(**files)) {
    if (absl::Status status = RemoveJournals(set); !status.ok()) return status;
    return std::nullopt;
  }
  if (absl::Status status = CheckInPlace(set, directory); !status.ok()) return status;
  for (const std::optional<File>& file : **files) {
    if (!file) continue;
    if (absl::Status status = file->Take(File::Lock::kShared); !status.ok()) return status;
  }
  return files;
}

}  // namespace

absl::StatusOr<std::vector<RebuiltShard>> RepairSet(client::Coder& coder, const ShardSet& set,
                                                    const RepairOptions& options) {
  const absl::StatusOr<std::optional<ShardFiles>> unfinished =
      FinishUnlessShardsAreLeft(set, options.directory);
  if (!unfinished.ok()) return unfinished.status();
  const absl::StatusOr<SetReport> report = VerifySet(coder, set, PassOf(options.run, 0));
  if (!report.ok()) return report.status();
  if (report->parity_mismatches > 0) return RefuseParityMismatch(*report);
  if (report->damaged.none()) return std::vector<RebuiltShard>();

  const absl::StatusOr<ShardReaders> readers = set.Open();
  if (!readers.ok()) return readers.status();
  std::optional<OutputDirectory> directory;
  if (!options.directory.empty()) {
    absl::StatusOr<OutputDirectory> made = OutputDirectory::Open(options.directory);
    if (!made.ok()) return made.status();
    directory.emplace(*std::move(made));
  }
  Rebuild rebuild(coder, set, *readers, report->damaged, options.run.call());
  if (absl::Status status = rebuild.CreateFiles(options.directory); !status.ok()) return status;
  const RunOptions rebuilding = PassOf(options.run, 1);
  const absl::Status status =
      ForEachStripe(set.layout, 0, set.layout.stripes(), rebuilding,
                    [&rebuild](StripeBuffer& stripe) { return rebuild.RebuildStripe(stripe); });
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<RebuiltShard>> rebuilt = rebuild.Commit(options.run);
  if (rebuilt.ok() && unfinished->has_value()) {
    if (absl::Status error = RemoveJournals(set); !error.ok()) return error;
  }
  return rebuilt;
}

}  // namespace parity::shardfile
