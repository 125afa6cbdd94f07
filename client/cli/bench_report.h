// What a load has measured, as lines for people and as JSON.
#ifndef PARITY_CLI_BENCH_REPORT_H_
#define PARITY_CLI_BENCH_REPORT_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "parity/client/client.h"
#include "parity/codec/geometry.h"
#include "parity/load/load.h"

namespace parity::cli {

struct BenchReport {
  const codec::Geometry& geometry;
  const load::LoadOptions& options;
  const load::LoadResult& result;
  client::ClientStats client;
};

void PrintBench(const BenchReport& report);
nlohmann::ordered_json BenchAsJson(const BenchReport& report);
// Of a load under way: "12345 calls/s, 3.24 GB/s, ...".
std::string BenchProgress(const load::LoadResult& so_far);

// Says what the keys of the JSON are.
extern const char kBenchJsonHelp[];

}  // namespace parity::cli

#endif  // PARITY_CLI_BENCH_REPORT_H_
