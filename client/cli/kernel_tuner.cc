#include "kernel_tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "kernel_measure.h"
#include "parity/kernels/tuning.h"
#include "parity/timing/timing.h"

namespace parity::cli {
namespace {

using kernels::KernelTable;
using kernels::Tuning;

constexpr size_t kKiB = 1024;
constexpr size_t kMiB = 1024 * kKiB;
constexpr size_t kNever = SIZE_MAX;

// Rounds take about this long for each size, within limits.
constexpr double kRoundsNanoseconds = 0.3e9;
constexpr int kLeastRounds = 5;
constexpr int kMostRounds = 51;

// A way has to save that much, as what it gains by less is noise.
constexpr double kWorthwhile = 0.01;

// What the sizes of a field count: a shard, or all shards of a job.
enum class Counts { kShard, kJob };

struct Field {
  const char* name;
  size_t Tuning::*member;
  Counts counts;
  // What else the way needs: alignment in any case implies alignment that aligns all.
  size_t Tuning::*prerequisite;
  KernelShape shapes[2];
};

constexpr Field kFields[] = {
    {"xor_align_all_from",
     &Tuning::xor_align_all_from,
     Counts::kShard,
     nullptr,
     {{KernelOp::kXor, 4, 1, ShardStarts::kAllPlus1},
      {KernelOp::kXor, 10, 1, ShardStarts::kAllPlus1}}},
    {"xor_align_any_from",
     &Tuning::xor_align_any_from,
     Counts::kShard,
     &Tuning::xor_align_all_from,
     {{KernelOp::kXor, 4, 1, ShardStarts::kScattered},
      {KernelOp::kXor, 10, 1, ShardStarts::kScattered}}},
    {"gf_align_all_from",
     &Tuning::gf_align_all_from,
     Counts::kShard,
     nullptr,
     {{KernelOp::kReedSolomon, 4, 2, ShardStarts::kAllPlus1},
      {KernelOp::kPq, 8, 2, ShardStarts::kAllPlus1}}},
    {"gf_align_any_from",
     &Tuning::gf_align_any_from,
     Counts::kShard,
     &Tuning::gf_align_all_from,
     {{KernelOp::kReedSolomon, 4, 2, ShardStarts::kScattered},
      {KernelOp::kPq, 8, 2, ShardStarts::kScattered}}},
    {"xor_stream_from",
     &Tuning::xor_stream_from,
     Counts::kJob,
     nullptr,
     {{KernelOp::kXor, 4, 1, ShardStarts::kPage}, {KernelOp::kXor, 10, 1, ShardStarts::kPage}}},
    {"gf_stream_from",
     &Tuning::gf_stream_from,
     Counts::kJob,
     nullptr,
     {{KernelOp::kReedSolomon, 4, 2, ShardStarts::kPage},
      {KernelOp::kPq, 8, 2, ShardStarts::kPage}}},
};
static_assert(sizeof(Tuning) ==
                  sizeof(const char*) + sizeof(kFields) / sizeof(kFields[0]) * sizeof(size_t),
              "every field of Tuning is measured");

constexpr size_t kShardSizes[] = {256,      512,       1000,      2 * kKiB,  4 * kKiB,
                                  8 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 128 * kKiB};
constexpr size_t kJobSizes[] = {256 * kKiB, 512 * kKiB, 1 * kMiB,  2 * kMiB,  4 * kMiB,
                                8 * kMiB,   12 * kMiB,  16 * kMiB, 32 * kMiB, 128 * kMiB};

std::vector<size_t> Sizes(Counts counts) {
  switch (counts) {
    case Counts::kShard:
      return {std::begin(kShardSizes), std::end(kShardSizes)};
    case Counts::kJob:
      return {std::begin(kJobSizes), std::end(kJobSizes)};
  }
  return {};
}

// A Tuning of which only the field's way is in use, from `from` on.
Tuning With(const Field& field, size_t from) {
  Tuning tuning = {"", kNever, kNever, kNever, kNever, kNever, kNever};
  if (field.prerequisite != nullptr) tuning.*field.prerequisite = 0;
  tuning.*field.member = from;
  return tuning;
}

// Logarithms of nanoseconds, without and with the way, by size and summed over the shapes.
struct Costs {
  std::vector<double> without;
  std::vector<double> with;
};

Costs Measure(const KernelTable& table, const Field& field, const std::vector<size_t>& sizes) {
  const Tuning without = With(field, kNever);
  const Tuning with = With(field, 0);
  Costs costs = {std::vector<double>(sizes.size()), std::vector<double>(sizes.size())};
  for (const KernelShape& shape : field.shapes) {
    const size_t shards = field.counts == Counts::kJob ? shape.k + shape.m : 1;
    const KernelWorkload workload(shape, sizes.back() / shards);
    for (size_t i = 0; i < sizes.size(); ++i) {
      const size_t shard_bytes = sizes[i] / shards;
      const std::vector<timing::Call> calls = {workload.Call(table, without, shard_bytes),
                                               workload.Call(table, with, shard_bytes)};
      const double sample = std::max(timing::QuickNanoseconds(calls[0]),  //
                                     timing::kSampleSeconds * 1e9);
      const int rounds = std::clamp(static_cast<int>(kRoundsNanoseconds / (2 * sample)),
                                    kLeastRounds, kMostRounds);
      const std::vector<double> nanoseconds = timing::MedianNanoseconds(calls, rounds);
      costs.without[i] += std::log(nanoseconds[0]);
      costs.with[i] += std::log(nanoseconds[1]);
    }
  }
  return costs;
}

// What all sizes cost if the way is used from `from` on, and has to pay `fee` each time.
double Cost(const Costs& costs, const std::vector<size_t>& sizes, size_t from, double fee) {
  double sum = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    sum += sizes[i] < from ? costs.without[i] : costs.with[i] + fee;
  }
  return sum;
}

TunedField Tune(const KernelTable& table, const Field& field) {
  constexpr size_t kShapes = sizeof(field.shapes) / sizeof(field.shapes[0]);
  const std::vector<size_t> sizes = Sizes(field.counts);
  const Costs costs = Measure(table, field, sizes);
  constexpr double kFee = kShapes * kWorthwhile;
  size_t best = kNever;
  for (const size_t from : sizes) {
    if (Cost(costs, sizes, from, kFee) < Cost(costs, sizes, best, kFee)) best = from;
  }
  const auto times =
      static_cast<double>(kShapes * std::count_if(sizes.begin(), sizes.end(),
                                                  [best](size_t size) { return size >= best; }));
  const double saved = Cost(costs, sizes, kNever, 0) - Cost(costs, sizes, best, 0);
  const size_t current = kernels::HostTuning().*field.member;
  const double saved_over_current = Cost(costs, sizes, current, 0) - Cost(costs, sizes, best, 0);
  return {field.name, best, current, times == 0 ? 1 : std::exp(saved / times),
          std::exp(saved_over_current / static_cast<double>(kShapes * sizes.size()))};
}

std::string Literal(size_t value) {
  if (value == kNever) return "kNever";
  if (value % kMiB == 0) return absl::StrCat(value / kMiB, " * kMiB");
  if (value % kKiB == 0) return absl::StrCat(value / kKiB, " * kKiB");
  return absl::StrCat(value);
}

}  // namespace

std::vector<TunedField> TuneKernels(const KernelTable& table) {
  std::vector<TunedField> tuned;
  for (const Field& field : kFields) tuned.push_back(Tune(table, field));
  return tuned;
}

std::string TuningRow(const std::string& measured_on, const std::vector<TunedField>& fields) {
  std::string row = absl::StrCat("{\"", measured_on, "\"");
  for (const TunedField& field : fields) absl::StrAppend(&row, ", ", Literal(field.value));
  return absl::StrCat(row, "}");
}

}  // namespace parity::cli
