#include "batching.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"
#include "arena.h"
#include "grid.h"
#include "parity/timing/timing.h"
#include "stripe.h"

namespace parity::bench {
namespace {

using timing::Call;
using timing::MedianNanoseconds;
using timing::QuickNanoseconds;
using timing::Repeated;

constexpr size_t kJobs = 64;
constexpr size_t kLengths[] = {64, 128, 256, 512, 1024, 2048, 4096};

// The stripes of one batch, shard after shard, as small ones would hardly be on pages of their own.
class Batch {
 public:
  Batch(const Row& row, Arena& arena) : row_(row) {
    arena.Reset();
    const size_t shards = kJobs * (row.k + row.m);
    uint8_t* start = arena.Place(shards * row.bytes, Alignment::kPage);
    for (size_t i = 0; i < kJobs; ++i) {
      Stripe stripe;
      for (size_t shard = 0; shard < row.k + row.m; ++shard, start += row.bytes) {
        (shard < row.k ? stripe.sources : stripe.outputs).push_back(start);
      }
      stripes_.push_back(stripe);
    }
    matrix_ = CauchyParity(row.k, row.m);
    factors_ = SourceMajor(matrix_);
    for (const Stripe& stripe : stripes_) {
      xor_jobs_.push_back({stripe.outputs[0], stripe.sources.data(), row.k, row.bytes});
      gf_jobs_.push_back(
          {stripe.outputs.data(), stripe.sources.data(), factors_.data(), row.k, row.m, row.bytes});
    }
  }

  // All jobs, `jobs` of them to a call.
  Call Ours(const Subject& subject, size_t jobs) const {
    return Repeated([this, &table = subject.table, &tuning = subject.tuning, jobs] {
      for (size_t i = 0; i < kJobs; i += jobs) {
        if (row_.op == Op::kXor) {
          table.xor_generate(&xor_jobs_[i], jobs, tuning);
        } else {
          table.gf_matrix(&gf_jobs_[i], jobs, tuning);
        }
      }
    });
  }

  // All jobs, each by a call of an ISA-L function; the one that is the fastest.
  Call Yardstick(const Isal& isal) const {
    const std::vector<Call> calls = row_.op == Op::kXor ? XorYardsticks(isal) : GfYardsticks(isal);
    std::vector<double> nanoseconds;
    for (const Call& call : calls) nanoseconds.push_back(QuickNanoseconds(call));
    const auto fastest = std::min_element(nanoseconds.begin(), nanoseconds.end());
    return calls[static_cast<size_t>(fastest - nanoseconds.begin())];
  }

 private:
  std::vector<Call> XorYardsticks(const Isal& isal) const {
    std::vector<std::vector<void*>> arrays;
    for (const Stripe& stripe : stripes_) {
      arrays.emplace_back(stripe.sources.begin(), stripe.sources.end());
      arrays.back().push_back(stripe.outputs[0]);
    }
    std::vector<Call> calls;
    for (const RaidFunction& function : isal.xor_gen) {
      calls.push_back(Repeated([function, arrays, bytes = static_cast<int>(row_.bytes)]() mutable {
        for (std::vector<void*>& array : arrays) {
          function.run(static_cast<int>(array.size()), bytes, array.data());
        }
      }));
    }
    return calls;
  }

  std::vector<Call> GfYardsticks(const Isal& isal) const {
    std::vector<Call> calls;
    for (const EncodeFunction& function : isal.encode) {
      calls.push_back(
          Repeated([function, stripes = stripes_, tables = isal.Tables(matrix_, function.form),
                    row = row_]() mutable {
            for (Stripe& stripe : stripes) {
              function.run(static_cast<int>(row.bytes), static_cast<int>(row.k),
                           static_cast<int>(row.m), tables.data(), stripe.sources.data(),
                           stripe.outputs.data());
            }
          }));
    }
    return calls;
  }

  const Row row_;
  std::vector<Stripe> stripes_;
  Matrix matrix_;
  std::vector<kernels::GfFactor> factors_;
  std::vector<kernels::XorJob> xor_jobs_;
  std::vector<kernels::GfMatrixJob> gf_jobs_;
};

}  // namespace

absl::Status PrintBatching(std::FILE* to, const Subject& subject, const std::optional<Isal>& isal,
                           int rounds) {
  absl::StatusOr<Arena> arena = Arena::Make(size_t{64} << 20);
  if (!arena.ok()) return arena.status();
  absl::FPrintF(
      to, "ns a job, %d jobs, their shards one after the other\n%-8s %6s %12s %12s %7s %12s\n",
      kJobs, "op", "len", "1 a call", absl::StrFormat("%d a call", kJobs), "saved", "ISA-L");
  for (const Row& shape :
       {Row{Op::kXor, 4, 1, 0, Alignment::kPage}, Row{Op::kRs, 4, 2, 0, Alignment::kPage}}) {
    for (const size_t bytes : kLengths) {
      Row row = shape;
      row.bytes = bytes;
      const Batch batch(row, *arena);
      std::vector<Call> calls = {batch.Ours(subject, 1), batch.Ours(subject, kJobs)};
      if (isal.has_value()) calls.push_back(batch.Yardstick(*isal));
      const std::vector<double> nanoseconds = MedianNanoseconds(calls, rounds);
      const double alone = nanoseconds[0] / kJobs;
      const double batched = nanoseconds[1] / kJobs;
      absl::FPrintF(to, "%-3s %d+%d  %6d %12.2f %12.2f %7.2f %12s\n", NameOf(row.op), row.k, row.m,
                    bytes, alone, batched, alone - batched,
                    isal.has_value() ? absl::StrFormat("%.2f", nanoseconds[2] / kJobs) : "-");
    }
  }
  return absl::OkStatus();
}

}  // namespace parity::bench
