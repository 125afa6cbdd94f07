#include "compare.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "isal_candidates.h"
#include "our_kernels.h"
#include "parity/timing/read_limit.h"
#include "parity/timing/timing.h"
#include "split_share.h"
#include "stripe.h"

namespace parity::bench {
namespace {

using timing::Call;
using timing::MedianNanoseconds;
using timing::QuickNanoseconds;
using timing::ReadCalls;

// What a first look must be within to be looked at again, as a factor.
constexpr double kClose = 1.25;
constexpr int kChoosingRounds = 3;

// Page-aligned rows this long are compared with the read limit too.
constexpr size_t kReadLimitBytes = 16 << 20;

using Shards = std::vector<std::vector<uint8_t>>;

Shards Copies(const std::vector<uint8_t*>& shards, size_t bytes) {
  Shards copies;
  for (const uint8_t* shard : shards) copies.emplace_back(shard, shard + bytes);
  return copies;
}

void Restore(const Shards& copies, const std::vector<uint8_t*>& shards) {
  for (size_t r = 0; r < shards.size(); ++r) {
    std::memcpy(shards[r], copies[r].data(), copies[r].size());
  }
}

bool Verifies(Op op) { return op == Op::kVerifyXor || op == Op::kVerifyPq || op == Op::kVerifyRs; }

absl::Status Wrong(const Row& row, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(NameOf(row), ": ", what));
}

absl::Status CheckOutputs(const Row& row, const Stripe& stripe, const Call& ours,
                          const std::vector<Candidate>& candidates) {
  const Shards before = Copies(stripe.outputs, row.bytes);
  ours(1);
  const Shards expected = Copies(stripe.outputs, row.bytes);
  for (const Candidate& candidate : candidates) {
    Restore(before, stripe.outputs);
    candidate.call(1);
    for (size_t r = 0; r < stripe.outputs.size(); ++r) {
      if (std::memcmp(stripe.outputs[r], expected[r].data(), row.bytes) == 0) continue;
      const auto [got, want] =
          std::mismatch(stripe.outputs[r], stripe.outputs[r] + row.bytes, expected[r].begin());
      return Wrong(row, absl::StrCat("output ", r, ", byte ", got - stripe.outputs[r], ": got ",
                                     *want, ", ", candidate.name, " gives ", *got));
    }
  }
  return absl::OkStatus();
}

// Every verification must accept the parity, and find one wrong byte of each parity shard.
absl::Status CheckVerdicts(const Row& row, Stripe& stripe, const Call& ours,
                           const std::vector<Candidate>& candidates) {
  std::vector<Candidate> all = candidates;
  all.push_back({"the kernel", ours});
  for (const Candidate& candidate : all) {
    candidate.call(1);
    if (!stripe.consistent) return Wrong(row, absl::StrCat(candidate.name, " rejects parity"));
    for (uint8_t* shard : stripe.outputs) {
      uint8_t& byte = shard[row.bytes / 2];
      byte ^= 0x10;
      candidate.call(1);
      byte ^= 0x10;
      if (stripe.consistent) {
        return Wrong(row, absl::StrCat(candidate.name, " misses a wrong byte"));
      }
    }
  }
  return absl::OkStatus();
}

// The fastest: first looks at all, then takes turns with those that come close. So many functions
// take part, some of them the same under another name, that the best of their medians would be a
// lucky one; the caller measures the winner again.
size_t Fastest(const std::vector<Call>& calls) {
  std::vector<double> first_look;
  for (const Call& call : calls) first_look.push_back(QuickNanoseconds(call));
  const double close = kClose * *std::min_element(first_look.begin(), first_look.end());
  std::vector<size_t> chosen;
  std::vector<Call> chosen_calls;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (first_look[i] > close) continue;
    chosen.push_back(i);
    chosen_calls.push_back(calls[i]);
  }
  if (chosen.size() == 1) return chosen[0];
  const std::vector<double> medians = MedianNanoseconds(chosen_calls, kChoosingRounds);
  return chosen[static_cast<size_t>(std::min_element(medians.begin(), medians.end()) -
                                    medians.begin())];
}

std::vector<Call> CallsOf(const std::vector<Candidate>& candidates) {
  std::vector<Call> calls;
  for (const Candidate& candidate : candidates) calls.push_back(candidate.call);
  return calls;
}

}  // namespace

absl::StatusOr<Result> Compare(const Subject& subject, const std::optional<Isal>& isal,
                               const Row& row, int rounds, Arena& arena) {
  arena.Reset();
  Stripe stripe = LayOut(row, arena);
  const Call ours = OurCall(subject.table, subject.tuning, row, subject.jobs, stripe);
  std::vector<Candidate> candidates;
  if (isal.has_value()) candidates = IsalCandidates(*isal, row, stripe);

  if (Verifies(row.op)) GenerateParity(subject.table, subject.tuning, row, stripe);
  const absl::Status checked = Verifies(row.op) ? CheckVerdicts(row, stripe, ours, candidates)
                                                : CheckOutputs(row, stripe, ours, candidates);
  if (!checked.ok()) return checked;

  Result result;
  result.row = row;
  result.split_share = SplitShare(subject.table, subject.tuning, row, stripe);
  std::vector<Call> calls = {ours};
  if (!candidates.empty()) {
    const Candidate& yardstick = candidates[Fastest(CallsOf(candidates))];
    result.yardstick = yardstick.name;
    calls.push_back(yardstick.call);
  }
  const bool reads = row.bytes >= kReadLimitBytes && row.alignment == Alignment::kPage;
  if (reads) {
    const std::vector<Call> read_calls = ReadCalls(stripe.sources[0], SourceBytes(row));
    calls.push_back(read_calls[Fastest(read_calls)]);
  }
  const std::vector<double> nanoseconds = MedianNanoseconds(calls, rounds);

  const auto bytes = static_cast<double>(SourceBytes(row));
  result.gbps = bytes / nanoseconds[0];
  if (!candidates.empty()) result.yardstick_gbps = bytes / nanoseconds[1];
  if (reads) result.read_limit_gbps = bytes / nanoseconds.back();
  return result;
}

}  // namespace parity::bench
