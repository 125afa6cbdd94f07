#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "commands.h"
#include "kernel_measure.h"
#include "kernel_tuner.h"
#include "parity/kernels/cpu_features.h"
#include "parity/kernels/dispatch.h"

namespace parity::cli {
namespace {

using kernels::CpuFeatures;
using kernels::KernelTable;

struct KernelsArguments {
  bool json = false;
  bool tune = false;
  std::string kernels = "auto";
};

struct FeatureName {
  CpuFeatures feature;
  const char* name;
};
constexpr FeatureName kFeatureNames[] = {
    {kernels::kSsse3, "ssse3"},   {kernels::kAvx, "avx"},       {kernels::kAvx2, "avx2"},
    {kernels::kGfni, "gfni"},     {kernels::kAvx512, "avx512"}, {kernels::kNeon, "neon"},
    {kernels::kNeonSha3, "sha3"},
};

std::vector<std::string> NamesOf(CpuFeatures features) {
  std::vector<std::string> names;
  for (const FeatureName& each : kFeatureNames) {
    if ((features & each.feature) != 0) names.push_back(each.name);
  }
  return names;
}

// Why the first of the tables is the one that is chosen.
const char* ReasonFor(const std::vector<const KernelTable*>& usable,
                      const kernels::CpuRegisters& registers) {
  const bool passes_over_wide =
      kernels::PrefersNarrowVectors(registers) &&
      usable.front()->vector_bytes < kernels::kWideVectorBytes &&
      std::any_of(usable.begin(), usable.end(), [](const KernelTable* table) {
        return table->vector_bytes == kernels::kWideVectorBytes;
      });
  return passes_over_wide
             ? "512-bit registers lower the clock of this CPU, so kernels that use them come last"
             : "the best that the CPU and the operating system allow";
}

void PrintTables(const std::vector<KernelRate>& rates, const char* reason) {
  absl::PrintF("chosen: %s (%s)\n", rates.front().table->name, reason);
  absl::PrintF("%-14s %8s %8s  %s\n", "kernels", "xor 4+1", "rs 4+2", "needs");
  for (const KernelRate& rate : rates) {
    const std::vector<std::string> needs = NamesOf(rate.table->required);
    absl::PrintF("%-14s %8.2f %8.2f  %s\n", rate.table->name, rate.xor_gbps, rate.reed_solomon_gbps,
                 needs.empty() ? "nothing" : absl::StrJoin(needs, ", "));
  }
  absl::PrintF("GB/s of data, one thread, %d KiB shards\n", kRateShardBytes / 1024);
}

// No name needs escaping.
void PrintTablesAsJson(const std::vector<KernelRate>& rates, const char* reason) {
  absl::PrintF(R"({"chosen":"%s","reason":"%s","shard_bytes":%d,"kernels":[)",
               rates.front().table->name, reason, kRateShardBytes);
  const char* separator = "";
  for (const KernelRate& rate : rates) {
    const std::vector<std::string> needs = NamesOf(rate.table->required);
    const std::string list =
        needs.empty() ? "" : absl::StrCat("\"", absl::StrJoin(needs, R"(",")"), "\"");
    absl::PrintF(R"(%s{"name":"%s","needs":[%s],"xor_gbps":%.3f,"rs_gbps":%.3f})", separator,
                 rate.table->name, list, rate.xor_gbps, rate.reed_solomon_gbps);
    separator = ",";
  }
  absl::PrintF("]}\n");
}

absl::StatusOr<ExitCode> ListTables(bool json) {
  const kernels::CpuRegisters registers = kernels::ReadCpuRegisters();
  const std::vector<const KernelTable*> usable = kernels::UsableTables(registers);
  (json ? PrintTablesAsJson : PrintTables)(MeasureRates(usable), ReasonFor(usable, registers));
  return ExitCode::kGood;
}

// What Linux calls the CPU.
std::string CpuName() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, "model name")) continue;
    rest = absl::StripLeadingAsciiWhitespace(rest);
    absl::ConsumePrefix(&rest, ":");
    return std::string(absl::StripAsciiWhitespace(rest));
  }
  return "unknown CPU";
}

std::string SizeOrNever(size_t bytes) { return bytes == SIZE_MAX ? "never" : absl::StrCat(bytes); }

void PrintTuning(const KernelTable& table, const std::vector<TunedField>& fields) {
  absl::PrintF("%s on %s\n", table.name, CpuName());
  absl::PrintF("%-20s %10s %10s %7s %13s\n", "field", "value", "current", "gain", "over current");
  for (const TunedField& field : fields) {
    absl::PrintF("%-20s %10s %10s %6.1f%% %12.1f%%\n", field.name, SizeOrNever(field.value),
                 SizeOrNever(field.current), 100 * (field.gain - 1),
                 100 * (field.gain_over_current - 1));
  }
  absl::PrintF("%s\n", TuningRow(CpuName(), fields));
}

// A size that means never is null.
void PrintTuningAsJson(const KernelTable& table, const std::vector<TunedField>& fields) {
  const auto size = [](size_t bytes) { return bytes == SIZE_MAX ? "null" : absl::StrCat(bytes); };
  absl::PrintF(R"({"kernels":"%s","fields":[)", table.name);
  const char* separator = "";
  for (const TunedField& field : fields) {
    absl::PrintF(R"(%s{"name":"%s","value":%s,"current":%s,"gain":%.4f,"gain_over_current":%.4f})",
                 separator, field.name, size(field.value), size(field.current), field.gain,
                 field.gain_over_current);
    separator = ",";
  }
  absl::PrintF("]}\n");
}

absl::StatusOr<ExitCode> TuneTable(const KernelsArguments& arguments) {
  const absl::StatusOr<const KernelTable*> table = kernels::SelectTable(arguments.kernels);
  if (!table.ok()) return table.status();
  (arguments.json ? PrintTuningAsJson : PrintTuning)(**table, TuneKernels(**table));
  return ExitCode::kGood;
}

}  // namespace

void AddKernels(CLI::App& app, Command& command) {
  auto arguments = std::make_shared<KernelsArguments>();
  CLI::App* kernels = app.add_subcommand(
      "kernels", "Prints the kernels that this CPU can run, how fast they are and which is chosen");
  kernels->add_flag("--json", arguments->json, "Print one JSON object");
  CLI::Option* tune =
      kernels->add_flag("--tune", arguments->tune,
                        "Instead, measure from which sizes on kernels should change their\n"
                        "ways on this CPU; takes some ten seconds");
  kernels
      ->add_option("--kernels", arguments->kernels,
                   "With --tune, the kernels to measure. Default: those that are chosen")
      ->type_name("NAME")
      ->needs(tune);
  kernels->footer(absl::StrCat(
      "Of the kernels it prints GB/s of data, measured in this thread in less than a second; the "
      "best come\n"
      "first.\n\n"
      "Of each size it prints the value measured, the one that this build has for the CPU, how "
      "much "
      "faster\n"
      "jobs from the value on get, how much faster the value makes jobs of all sizes than the "
      "current one\n"
      "does, and the values as a row for kernels/isa/tuning.cc. Run it on an idle machine. Sizes "
      "called\n"
      "stream count what the job itself takes, not that its result is then no longer in a "
      "cache.\n\n"
      "Examples:\n"
      "  parityctl kernels\n"
      "  parityctl kernels --json\n"
      "  parityctl kernels --tune --kernels avx2\n\n",
      kExitCodesHelp));
  kernels->callback([arguments, &command] {
    command = [arguments] {
      return arguments->tune ? TuneTable(*arguments) : ListTables(arguments->json);
    };
  });
}

}  // namespace parity::cli
