#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "bench_report.h"
#include "coder_options.h"
#include "commands.h"
#include "geometry_options.h"
#include "interrupt.h"
#include "output.h"
#include "parity/codec/field_error.h"
#include "parity/load/load.h"
#include "terminal.h"

namespace parity::cli {
namespace {

constexpr int kMaxThreads = 1024;
constexpr double kMaxRate = 1e6;
constexpr double kMaxSeconds = 7 * 86400;

struct BenchArguments {
  GeometryOptions geometry;
  std::string operation = "encode";
  std::optional<std::string> mix;
  std::string shard_bytes = "64K";
  uint32_t lost = 1;
  int threads = 4;
  std::optional<double> rate;
  std::string arrivals = "constant";
  double duration_seconds = 10;
  double warmup_seconds = 1;
  uint64_t seed = 1;
  bool unaligned = false;
  bool copy = false;
  bool check = false;
  CoderOptions coder;
  OutputOptions output;
};

absl::StatusOr<load::LoadOptions> LoadOptionsOf(const BenchArguments& arguments,
                                                const codec::Geometry& geometry) {
  load::LoadOptions options;
  absl::StatusOr<load::OperationMix> operations =
      load::ParseOperations(arguments.mix ? "--mix" : "--operation",
                            arguments.mix ? *arguments.mix : arguments.operation);
  if (!operations.ok()) return operations.status();
  absl::StatusOr<load::SizeMix> sizes = load::ParseSizes("--shard-bytes", arguments.shard_bytes);
  if (!sizes.ok()) return sizes.status();
  if (arguments.lost == 0 || arguments.lost > geometry.parity_shards()) {
    return codec::InvalidField(
        "--lost", arguments.lost,
        absl::StrCat("1 to ", geometry.parity_shards(), ", as many as there are parity shards"));
  }
  options.work.operations = *std::move(operations);
  options.work.shard_bytes = *std::move(sizes);
  options.work.lost_shards = arguments.lost;
  options.work.unaligned = arguments.unaligned;
  options.work.check = arguments.check;
  options.work.seed = arguments.seed;
  options.threads = arguments.threads;
  options.rate = arguments.rate;
  options.arrivals = arguments.arrivals == "poisson" ? load::Arrivals::kPoisson  //
                                                     : load::Arrivals::kConstant;
  options.duration = absl::Seconds(arguments.duration_seconds);
  options.warmup = absl::Seconds(arguments.warmup_seconds);
  options.is_stopped = [] { return Interruption().is_cancelled(); };
  return options;
}

// Whether anything can be computed at all. So what is wrong is said at once.
absl::Status TryCoder(client::Coder& coder, const codec::Geometry& geometry) {
  const uint8_t byte = 0;
  const std::vector<client::ShardBytes> data(geometry.data_shards(), {&byte, 1});
  std::vector<uint8_t> parity(geometry.parity_shards());
  std::vector<uint8_t*> outputs;
  for (uint8_t& each : parity) outputs.push_back(&each);
  return coder.Encode(geometry, data, 1, outputs);
}

// No call succeeded, of some: the error that most of them had.
absl::Status MostFrequentError(const load::LoadResult& result) {
  const auto most = std::max_element(
      result.errors.begin(), result.errors.end(),
      [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  return absl::Status(most->first, absl::StrCat("none of ", result.failed_calls(),
                                                " calls succeeded: ", most->second.first));
}

absl::StatusOr<ExitCode> Bench(const BenchArguments& arguments) {
  const absl::StatusOr<codec::Geometry> geometry = GeometryOf(arguments.geometry);
  if (!geometry.ok()) return geometry.status();
  absl::StatusOr<load::LoadOptions> options = LoadOptionsOf(arguments, *geometry);
  if (!options.ok()) return options.status();
  const absl::StatusOr<std::unique_ptr<client::Client>> client =
      MakeCoder(arguments.coder, arguments.output.quiet);
  if (!client.ok()) return client.status();
  const absl::Status works = TryCoder(**client, *geometry);
  if (!works.ok()) return works;

  if (!arguments.copy) {
    options->work.allocate = [&client](size_t bytes) { return (*client)->Allocate(bytes); };
  }
  const bool shows_progress = HasTerminal() && arguments.output.prints_lines();
  if (shows_progress) {
    options->progress = [](const load::LoadResult& so_far) { DrawBar(BenchProgress(so_far)); };
  }
  const absl::StatusOr<load::LoadResult> result = load::RunLoad(**client, *geometry, *options);
  if (shows_progress) EraseBar();
  if (!result.ok()) return result.status();
  const bool is_interrupted = Interruption().is_cancelled();
  if (result->calls == 0 && !result->errors.empty() && !is_interrupted) {
    return MostFrequentError(*result);
  }

  const BenchReport report{*geometry, *options, *result, (*client)->GetStats()};
  if (arguments.output.json) {
    PrintJson(BenchAsJson(report));
  } else if (arguments.output.prints_lines()) {
    PrintBench(report);
  }
  if (result->mismatch) return ExitCode::kDamaged;
  if (is_interrupted) return static_cast<ExitCode>(FailAsInterrupted());
  if (!result->errors.empty()) return ExitCode::kFailed;
  return ExitCode::kGood;
}

CLI::Validator Between(double least, double most) {
  return CLI::Validator(
      [least, most](const std::string& text) {
        double number = 0;
        const bool in_range = absl::SimpleAtod(text, &number) && number >= least && number <= most;
        return in_range ? "" : absl::StrCat("got ", text, ", want ", least, " to ", most);
      },
      "");
}

void AddStripeOptions(CLI::App& bench, BenchArguments& arguments) {
  AddGeometryOptions(bench, arguments.geometry);
  bench
      .add_option("--shard-bytes", arguments.shard_bytes,
                  "Length of a shard, with suffix K, M or G for KiB, MiB, GiB; or lengths\n"
                  "with weights: 4K=50,64K=40,1M=10")
      ->type_name("SIZES")
      ->capture_default_str();
  bench.add_flag("--unaligned", arguments.unaligned,
                 "Shards begin at odd addresses instead of pages");
  bench.add_flag("--copy", arguments.copy,
                 "Keep shards in this process's own memory, also if the server shares some");
}

void AddLoadOptions(CLI::App& bench, BenchArguments& arguments) {
  CLI::Option* operation =
      bench
          .add_option("--operation", arguments.operation,
                      "encode, reconstruct, verify, or update of one data shard")
          ->type_name("OPERATION")
          ->capture_default_str();
  bench.add_option("--mix", arguments.mix, "Operations with weights: encode=90,reconstruct=10")
      ->type_name("MIX")
      ->excludes(operation);
  bench.add_option("--lost", arguments.lost, "Shards that a reconstruction computes")
      ->type_name("N")
      ->capture_default_str();
  bench.add_option("--threads", arguments.threads, "Threads, each making one call at a time")
      ->check(Between(1, kMaxThreads))
      ->type_name("N")
      ->capture_default_str();
  CLI::Option* rate =
      bench
          .add_option("--rate", arguments.rate,
                      "Calls that are due each second, for all threads. Default: every thread\n"
                      "calls again as soon as it has its answer")
          ->check(Between(1e-3, kMaxRate))
          ->type_name("CALLS");
  bench.add_option("--arrivals", arguments.arrivals, "With --rate: constant or poisson")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text == "constant" || text == "poisson"
                       ? ""
                       : absl::StrCat("got ", text, ", want constant or poisson");
          },
          ""))
      ->type_name("ARRIVALS")
      ->capture_default_str()
      ->needs(rate);
  bench.add_option("--duration", arguments.duration_seconds, "How long to measure, in seconds")
      ->check(Between(1e-3, kMaxSeconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  bench.add_option("--warmup", arguments.warmup_seconds, "How long to call before, in seconds")
      ->check(Between(0, kMaxSeconds))
      ->type_name("SECONDS")
      ->capture_default_str();
  bench.add_option("--seed", arguments.seed, "Of all that is random")
      ->type_name("N")
      ->capture_default_str();
  bench.add_flag("--check", arguments.check,
                 "Compare every shard that comes with what this process computes");
}

}  // namespace

void AddBench(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* bench = app.add_subcommand(
      "bench", "Makes calls of a server and measures how long they take and how many there are");
  AddLoadOptions(*bench, *arguments);
  AddStripeOptions(*bench, *arguments);
  arguments->coder.default_policy = client::Policy::kRemoteOnly;  // what is to be measured
  AddCoderOptions(*bench, arguments->coder);
  AddOutputOptions(*bench, arguments->output);
  bench->footer(absl::StrCat(
      "With --rate, calls are due by a schedule that does not wait for answers, and latency counts "
      "from when\n"
      "a call was due: a stall shows in all the calls that it delays (no coordinated omission). "
      "Calls not\n"
      "answered when time is up count until then. Give enough threads for the calls under way at "
      "once.\n"
      "Without --rate nothing is due, so latencies from when calls were begun hide stalls; the "
      "line above\n"
      "them estimates what calls due in every thread at the average interval would have seen.\n\n"
      "Percentiles are right to 0.8 %. Failed calls count as errors, not as latencies; if any "
      "call fails,\n"
      "the exit code is 4. GB/s count data shards, of an update the changed one. --check ends with "
      "exit code\n"
      "1 at the first difference; half of the stripes to verify are damaged for it. A signal ends "
      "the load;\n"
      "the result so far is printed.\n\n",
      kBenchJsonHelp,
      "Examples:\n"
      "  parityctl bench --threads 8 --shard-bytes 1M\n"
      "  parityctl bench --rate 5000 --arrivals poisson --threads 32 --shard-bytes "
      "4K=50,64K=40,1M=10\n"
      "  parityctl bench --mix encode=80,update=10,verify=5,reconstruct=5 --check --json\n\n",
      kExitCodesHelp));
  bench->callback([arguments, &command] { command = [arguments] { return Bench(*arguments); }; });
}

}  // namespace parity::cli
