#include "grid.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

constexpr size_t kShardBytes[] = {4096, 65536, 262144, 1 << 20, 4 << 20};

// Small stripes are also measured many to a message.
constexpr size_t kSmallShardBytes = 4096;
constexpr size_t kManyStripes = 64;

constexpr size_t kOutstandingBytes = 4 << 20;
constexpr size_t kMinDepth = 2;
constexpr size_t kMaxDepth = 32;

}  // namespace

const char* NameOf(Mode mode) {
  switch (mode) {
    case Mode::kUnary:
      return "unary";
    case Mode::kStream:
      return "stream";
  }
  return "";
}

std::string NameOf(const Row& row) {
  return absl::StrCat(NameOf(row.transport), "/", NameOf(row.mode), "/shard=", row.shard_bytes,
                      "/stripes=", row.stripes, "/connections=", row.connections);
}

std::vector<Row> FullGrid() {
  std::vector<Row> rows;
  for (const Transport transport : kTransports) {
    for (const Mode mode : kModes) {
      for (const size_t shard_bytes : kShardBytes) {
        for (const int connections : {1, 2}) {
          rows.push_back({transport, mode, shard_bytes, 1, connections, true});
          if (mode == Mode::kStream && shard_bytes == kSmallShardBytes) {
            rows.push_back({transport, mode, shard_bytes, kManyStripes, connections, true});
          }
        }
      }
    }
  }
  return rows;
}

std::vector<Row> QuickGrid() {
  std::vector<Row> rows;
  for (const Transport transport : kTransports) {
    rows.push_back({transport, Mode::kUnary, 1 << 20, 1, 1, false});
    rows.push_back({transport, Mode::kStream, kSmallShardBytes, 1, 1, false});
    rows.push_back({transport, Mode::kStream, kSmallShardBytes, kManyStripes, 1, false});
    rows.push_back({transport, Mode::kStream, 262144, 1, 1, true});
  }
  return rows;
}

int DefaultDepth(size_t source_bytes) {
  return static_cast<int>(std::clamp(kOutstandingBytes / source_bytes, kMinDepth, kMaxDepth));
}

}  // namespace parity::bench
