#include "parity/metrics/process_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace parity::metrics {
namespace {

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The fields of /proc/self/stat from the third on, which follow the program's name; see proc(5).
struct Stat {
  uint64_t user_ticks = 0;
  uint64_t system_ticks = 0;
  uint64_t threads = 0;
  uint64_t start_ticks = 0;  // since the machine was started
  uint64_t resident_pages = 0;
};

Stat ReadStat() {
  const std::string text = ReadFile("/proc/self/stat");
  const size_t name_end = text.rfind(')');
  Stat stat;
  if (name_end == std::string::npos) return stat;
  const std::vector<absl::string_view> fields =
      absl::StrSplit(absl::string_view(text).substr(name_end + 1), ' ', absl::SkipEmpty());
  constexpr size_t kFirst = 3;
  const auto field = [&fields](size_t number, uint64_t& value) {
    if (number - kFirst < fields.size()) (void)absl::SimpleAtoi(fields[number - kFirst], &value);
  };
  field(14, stat.user_ticks);
  field(15, stat.system_ticks);
  field(20, stat.threads);
  field(22, stat.start_ticks);
  field(24, stat.resident_pages);
  return stat;
}

// When the machine was started, in seconds since 1970.
double BootSeconds() {
  std::istringstream lines(ReadFile("/proc/stat"));
  std::string name;
  std::string rest;
  while (lines >> name) {
    double seconds = 0;
    if (name == "btime" && lines >> seconds) return seconds;
    std::getline(lines, rest);
  }
  return 0;
}

uint64_t OpenFiles() {
  std::error_code error;
  uint64_t files = 0;
  for (auto entry = std::filesystem::directory_iterator("/proc/self/fd", error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ++files;
  }
  return files > 0 ? files - 1 : 0;  // that of the directory itself
}

}  // namespace

std::map<uint32_t, uint64_t> NodeBytes(const std::string& numa_maps) {
  std::map<uint32_t, uint64_t> bytes;
  for (const absl::string_view line : absl::StrSplit(numa_maps, '\n')) {
    // Lines like "ADDRESS POLICY ... N0=12 N1=3 kernelpagesize_kB=4".
    std::map<uint32_t, uint64_t> pages;
    uint64_t page_kib = 4;
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(word, absl::MaxSplits('=', 1));
      uint32_t node = 0;
      uint64_t value = 0;
      if (!absl::SimpleAtoi(pair.second, &value)) continue;
      if (pair.first == "kernelpagesize_kB") {
        page_kib = value;
      } else if (absl::StartsWith(pair.first, "N") &&
                 absl::SimpleAtoi(pair.first.substr(1), &node)) {
        pages[node] += value;
      }
    }
    for (const auto& [node, count] : pages) bytes[node] += count * page_kib * 1024;
  }
  return bytes;
}

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts;
  const Stat stat = ReadStat();
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  facts.cpu_seconds = static_cast<double>(stat.user_ticks + stat.system_ticks) / ticks;
  facts.resident_bytes = stat.resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  facts.threads = stat.threads;
  facts.start_seconds = BootSeconds() + static_cast<double>(stat.start_ticks) / ticks;
  facts.open_files = OpenFiles();
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) facts.max_open_files = files.rlim_cur;
  facts.node_bytes = NodeBytes(ReadFile("/proc/self/numa_maps"));
  facts.throttling = engine::ReadCpuThrottling();
  return facts;
}

}  // namespace parity::metrics
