#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "checks.h"
#include "parity/codec/codec.h"
#include "runs.h"
#include "suspect.h"

namespace parity::codec {
namespace {

// What is compared before the next look at whether there is anything left to find: this many bytes
// of every shard, or fewer if they come in so many runs.
constexpr size_t kPieceBytes = 256 << 10;
constexpr size_t kPieceRuns = 64;

// Runs of a stripe, compared in one kernel call.
class Comparison {
 public:
  Comparison(const Factors& generator, const kernels::KernelTable& table)
      : generator_(generator), table_(table), first_wrong_(generator.outputs()) {}

  // Adds the run of all k+m shards that starts at `offset`.
  void Add(absl::Span<const uint8_t* const> shards, uint64_t offset, size_t bytes) {
    assert(shards.size() == generator_.sources() + generator_.outputs());
    shards_.insert(shards_.end(), shards.begin(), shards.end());
    runs_.push_back({offset, bytes});
    bytes_ += bytes;
  }

  bool is_full() const { return bytes_ == kPieceBytes || runs_.size() == kPieceRuns; }
  // How many bytes a run may have. REQUIRES: !is_full().
  size_t room() const { return kPieceBytes - bytes_; }

  // Compares the runs that were added, and forgets them.
  void Run() {
    differences_.resize(runs_.size() * generator_.outputs());
    switch (generator_.kernel()) {
      case Kernel::kXor:
        RunXor();
        break;
      case Kernel::kPq:
        RunPq();
        break;
      case Kernel::kMatrix:
        RunMatrix();
        break;
    }
    const size_t* difference = differences_.data();
    for (const StripeRun& run : runs_) {
      for (std::optional<uint64_t>& wrong : first_wrong_) {
        if (!wrong.has_value() && *difference < run.bytes) wrong = run.offset + *difference;
        ++difference;
      }
    }
    runs_.clear();
    shards_.clear();
    bytes_ = 0;
  }

  // By parity shard: the first offset at which it was found to differ.
  const std::vector<std::optional<uint64_t>>& first_wrong() const { return first_wrong_; }
  bool all_wrong() const {
    return std::all_of(first_wrong_.begin(), first_wrong_.end(),
                       [](const auto& offset) { return offset.has_value(); });
  }

 private:
  struct StripeRun {
    uint64_t offset;
    size_t bytes;
  };

  const uint8_t* const* data(size_t run) const {
    return shards_.data() + run * (generator_.sources() + generator_.outputs());
  }
  const uint8_t* const* parity(size_t run) const { return data(run) + generator_.sources(); }
  size_t* differences(size_t run) { return differences_.data() + run * generator_.outputs(); }

  void RunXor() {
    std::vector<kernels::XorCompareJob> jobs;
    for (size_t i = 0; i < runs_.size(); ++i) {
      jobs.push_back({parity(i)[0], data(i), generator_.sources(), runs_[i].bytes, differences(i)});
    }
    table_.xor_compare(jobs.data(), jobs.size());
  }

  void RunPq() {
    std::vector<kernels::PqCompareJob> jobs;
    for (size_t i = 0; i < runs_.size(); ++i) {
      jobs.push_back({parity(i)[0], parity(i)[1], data(i), generator_.sources(), runs_[i].bytes,
                      differences(i)});
    }
    table_.pq_compare(jobs.data(), jobs.size());
  }

  void RunMatrix() {
    std::vector<kernels::GfCompareJob> jobs;
    for (size_t i = 0; i < runs_.size(); ++i) {
      jobs.push_back({parity(i), data(i), generator_.source_major(), generator_.sources(),
                      generator_.outputs(), runs_[i].bytes, differences(i)});
    }
    table_.gf_compare(jobs.data(), jobs.size());
  }

  const Factors& generator_;
  const kernels::KernelTable& table_;
  std::vector<std::optional<uint64_t>> first_wrong_;
  std::vector<StripeRun> runs_;
  std::vector<const uint8_t*> shards_;  // of each run: k data, then m parity shards
  std::vector<size_t> differences_;     // of each run: m
  size_t bytes_ = 0;                    // of the runs
};

}  // namespace

uint64_t VerifyReport::first_offset() const {
  assert(!consistent());
  const auto first =
      std::min_element(mismatches.begin(), mismatches.end(),
                       [](const Mismatch& a, const Mismatch& b) { return a.offset < b.offset; });
  return first->offset;
}

absl::StatusOr<VerifyReport> Codec::Verify(absl::Span<const Shard> shards, size_t shard_bytes,
                                           const kernels::KernelTable& table) const {
  absl::Status status = CheckCount("shards", shards.size(), geometry_.total_shards());
  if (status.ok()) status = CheckLengths("shards", shards, shard_bytes);
  if (!status.ok()) return status;

  RunWalker runs(shards);
  Comparison comparison(*generator_, table);
  for (size_t at = 0; at < shard_bytes && !comparison.all_wrong();) {
    const size_t run = runs.Next(std::min(comparison.room(), shard_bytes - at));
    comparison.Add(runs.sources(), at, run);
    at += run;
    if (comparison.is_full() || at == shard_bytes) comparison.Run();
  }

  VerifyReport report;
  for (uint32_t r = 0; r < geometry_.parity_shards(); ++r) {
    const std::optional<uint64_t> wrong = comparison.first_wrong()[r];
    if (wrong.has_value()) report.mismatches.push_back({geometry_.data_shards() + r, *wrong});
  }
  if (!report.consistent()) {
    report.suspect = Suspect(*generator_, shards, report.first_offset());
  }
  return report;
}

}  // namespace parity::codec
