#include "parity/engine/memory_headroom.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "parity/engine/control_group.h"

namespace parity::engine {
namespace {

// The number in a file that holds one; v2 says "max" for no limit.
std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

// The number behind `key` in a file of lines "key number ...".
std::optional<uint64_t> NumberAfter(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    uint64_t number = 0;
    if (word == key && file >> number) return number;
    file.clear();
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

uint64_t Minus(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

// What a group leaves; `limit` and `usage` are its files, `cache` the key of its unused page cache.
void LimitBy(const std::string& directory, const char* limit, const char* usage, const char* cache,
             uint64_t& headroom) {
  const std::optional<uint64_t> limit_bytes = NumberIn(directory + limit);
  const std::optional<uint64_t> used_bytes = NumberIn(directory + usage);
  if (!limit_bytes.has_value() || !used_bytes.has_value()) return;
  const uint64_t free_cache = NumberAfter(directory + "/memory.stat", cache).value_or(0);
  headroom = std::min(headroom, Minus(*limit_bytes, Minus(*used_bytes, free_cache)));
}

}  // namespace

uint64_t MemoryHeadroom(const std::string& root, const std::string& membership,
                        const std::string& meminfo) {
  uint64_t headroom = std::numeric_limits<uint64_t>::max();
  if (const auto kib = NumberAfter(meminfo, "MemAvailable:"); kib.has_value()) {
    headroom = *kib << 10;
  }
  for (const std::string& directory : GroupDirectories("memory", root, membership)) {
    LimitBy(directory, "/memory.max", "/memory.current", "inactive_file", headroom);
    LimitBy(directory, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file",
            headroom);
  }
  return headroom;
}

}  // namespace parity::engine
