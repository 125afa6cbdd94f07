// What is measured: every row of the grid, as data.
#ifndef PARITY_SERVER_BENCH_GRID_H_
#define PARITY_SERVER_BENCH_GRID_H_

#include <cstddef>
#include <string>
#include <vector>

#include "server_process.h"

namespace parity::bench {

// Encode calls, or one Process stream on each connection.
enum class Mode { kUnary, kStream };
inline constexpr Mode kModes[] = {Mode::kUnary, Mode::kStream};
const char* NameOf(Mode mode);

struct Row {
  Transport transport;
  Mode mode;
  size_t shard_bytes;
  size_t stripes;  // of a message
  int connections;
  bool with_naive;  // whether the naive yardstick is measured as well
};

// As in "unix/stream/shard=4096/stripes=64/connections=1".
std::string NameOf(const Row& row);

std::vector<Row> FullGrid();
// The rows that are quoted.
std::vector<Row> QuickGrid();

// Requests to have outstanding on a connection: as many as keep both sides busy, and no more than
// the caches hold where that can be.
int DefaultDepth(size_t source_bytes);

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_GRID_H_
