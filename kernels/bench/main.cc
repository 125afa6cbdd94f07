// parity_kernels_bench: the kernels beside ISA-L, row by row.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "arena.h"
#include "batching.h"
#include "compare.h"
#include "context_switch.h"
#include "grid.h"
#include "isal.h"
#include "parity/kernels/dispatch.h"
#include "parity/kernels/tuning.h"
#include "report.h"
#include "row_filter.h"
#include "stripe.h"
#include "summary.h"

namespace parity::bench {
namespace {

constexpr char kDefaultYardstick[] = "libisal.so.2";

constexpr char kHelp[] =
    R"(A row is one job of a kernel: an operation, a number of shards, a length and an alignment. Its name
is what --filter sees and what it is reported by:

  xor/k=4/len=4096/align=page      one parity of k data shards
  pq/k=8/len=...                   P and Q of k data shards
  rs/k=10/m=4/len=...              m parities of k data shards (Cauchy)
  reconstruct/k=10/m=2/len=...     the first m data shards, from k others
  update/k=10/m=4/len=...          m parities, in place, after one data shard was replaced
  verify_xor, verify_pq, verify_rs compare stored parity with what k data shards give

GB/s are 10^9 bytes of sources a second: k * len bytes a call; for update, old and new: 2 * len.
split: the share of memory accesses that touch two cache lines, counted over the first 64 KiB.
align: page, every shard starts on a page of its own; plus1 and plus32, that many bytes behind it;
random, 0 to 63 bytes behind it, different for every shard.

Memory is one mapping without huge pages, filled with noise before anything is timed. Samples last
200 us or one call; kernel and yardstick take turns, and the medians are compared.

Kernels get up to --jobs of the same job in a batch, as the service runs them; ISA-L, which has no
batches, gets as many calls. --jobs=1 shows what a job alone costs; it matters below 1 KiB.

The yardstick is the fastest of all ways in which ISA-L's functions can do the same with the same
pointers: those that need aligned pointers or even lengths take part only where these are. The
fastest is found first and then measured anew beside the kernel. Before a row is timed, the bytes of
every way are compared with the kernel's. It is what this CPU does best, also where --isa names kernels of a
lesser one. Which library it is goes to standard error.

A page-aligned row of 16 MiB is compared with the read limit as well: reading its sources in the best
of 1 to 16 streams, and doing nothing with them.

With --json every row is an object on a line of its own, the yardstick's fields are null if there is
none, and the summary goes to standard error.

Exit codes: 0 done, 1 a byte is wrong, 2 bad command line or a library that cannot be used.

Examples:
  parity_kernels_bench --quick
  parity_kernels_bench --filter='^rs/k=10.*align=page' --yardstick=/opt/isal/lib/libisal.so.2
  parity_kernels_bench --json >rows.json
  parity_kernels_bench --batch)";

struct Arguments {
  bool json = false;
  bool quick = false;
  bool batch = false;
  std::string filter;
  std::string isa = "auto";
  std::string yardstick;  // empty: kDefaultYardstick, if there is one
  int rounds = 9;
  size_t jobs = 16;
  double memory_gib = 4;
};

int Fail(const absl::Status& error) {
  absl::FPrintF(stderr, "parity_kernels_bench: %s\n", error.message());
  return absl::IsDataLoss(error) ? 1 : 2;
}

absl::StatusOr<std::optional<Isal>> OpenYardstick(const std::string& library) {
  absl::StatusOr<Isal> isal = OpenIsal(library.empty() ? kDefaultYardstick : library);
  if (isal.ok()) {
    absl::FPrintF(stderr, "yardstick: %s\n", isal->path);
    return *std::move(isal);
  }
  if (!library.empty()) {
    return absl::NotFoundError(absl::StrCat("--yardstick: ", isal.status().message()));
  }
  absl::FPrintF(stderr, "no yardstick: %s (--yardstick names another ISA-L)\n",
                isal.status().message());
  return std::nullopt;
}

absl::StatusOr<std::vector<Row>> ChooseRows(const Arguments& arguments) {
  const absl::StatusOr<RowFilter> filter = RowFilter::Make(arguments.filter);
  if (!filter.ok()) return filter.status();
  std::vector<Row> rows;
  for (const Row& row : arguments.quick ? QuickGrid() : FullGrid()) {
    if (filter->Finds(row)) rows.push_back(row);
  }
  if (rows.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--filter: got ", arguments.filter, ", which no row's name contains"));
  }
  return rows;
}

absl::Status MeasureGrid(const Arguments& arguments, const Subject& subject,
                         const std::optional<Isal>& isal) {
  const absl::StatusOr<std::vector<Row>> rows = ChooseRows(arguments);
  if (!rows.ok()) return rows.status();
  absl::StatusOr<Arena> arena =
      Arena::Make(static_cast<size_t>(arguments.memory_gib * (1 << 30)) / 4096 * 4096);
  if (!arena.ok()) return arena.status();

  std::vector<Result> results;
  if (!arguments.json) PrintTableHeader(stdout);
  for (const Row& row : *rows) {
    if (StripeFootprint(row) > arena->capacity_bytes()) {
      absl::FPrintF(stderr, "skipped: %s needs more than --memory=%g GiB\n", NameOf(row),
                    arguments.memory_gib);
      continue;
    }
    absl::StatusOr<Result> result = Compare(subject, isal, row, arguments.rounds, *arena);
    if (!result.ok()) return result.status();
    (arguments.json ? PrintJsonRow : PrintTableRow)(stdout, subject.table.name, *result);
    std::fflush(stdout);
    results.push_back(*std::move(result));
  }
  PrintSummary(arguments.json ? stderr : stdout, results);
  return absl::OkStatus();
}

absl::Status MeasureBatch(const Arguments& arguments, const Subject& subject,
                          const std::optional<Isal>& isal) {
  absl::Status batching = PrintBatching(stdout, subject, isal, arguments.rounds);
  if (!batching.ok()) return batching;
  return PrintContextSwitches(stdout, arguments.rounds);
}

absl::Status Run(const Arguments& arguments) {
  const absl::StatusOr<const kernels::KernelTable*> table = kernels::SelectTable(arguments.isa);
  if (!table.ok()) return table.status();
  const Subject subject = {**table, kernels::HostTuning(), arguments.jobs};
  const absl::StatusOr<std::optional<Isal>> isal = OpenYardstick(arguments.yardstick);
  if (!isal.ok()) return isal.status();
  return arguments.batch ? MeasureBatch(arguments, subject, *isal)
                         : MeasureGrid(arguments, subject, *isal);
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Measures the kernels beside ISA-L.", "parity_kernels_bench");
  app.footer(kHelp);
  app.add_flag("--json", arguments.json, "Print rows as JSON");
  app.add_flag("--quick", arguments.quick, "Measure a part of the grid, in less than a minute");
  CLI::Option* batch =
      app.add_flag("--batch", arguments.batch,
                   "Measure, instead of the grid, what a batch of small jobs saves over\n"
                   "one job a call, and what dirty vector registers cost a context switch");
  app.add_option("--filter", arguments.filter,
                 "Measure only the rows in whose name this extended regular expression is\n"
                 "found")
      ->type_name("REGEX");
  app.add_option("--isa", arguments.isa, "The kernels to measure; auto: what the CPU runs best")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--yardstick", arguments.yardstick,
                 "The ISA-L to compare with. Default: the loader's libisal.so.2, if any")
      ->type_name("PATH");
  app.add_option("--rounds", arguments.rounds, "Samples of each function")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--jobs", arguments.jobs, "The most jobs of a batch")
      ->check(CLI::Range(1, 4096))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--memory", arguments.memory_gib, "Leave out rows that take more memory than this")
      ->check(CLI::Range(0.01, 1024.0))
      ->type_name("GIB")
      ->capture_default_str();
  batch->excludes("--json")
      ->excludes("--quick")
      ->excludes("--jobs")
      ->excludes("--filter")
      ->excludes("--memory");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& request) {  // of help
    return app.exit(request);
  } catch (const CLI::Error& error) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(error.what(), " (see --help)")));
  }
  const absl::Status status = Run(arguments);
  return status.ok() ? 0 : Fail(status);
}

}  // namespace
}  // namespace parity::bench

int main(int argc, char** argv) { return parity::bench::Main(argc, argv); }
