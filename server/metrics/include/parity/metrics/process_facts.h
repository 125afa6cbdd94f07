// What the operating system says of this process.
#ifndef PARITY_METRICS_PROCESS_FACTS_H_
#define PARITY_METRICS_PROCESS_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "parity/engine/cpu_throttling.h"

namespace parity::metrics {

struct ProcessFacts {
  double cpu_seconds = 0;
  uint64_t resident_bytes = 0;
  uint64_t threads = 0;
  uint64_t open_files = 0;
  uint64_t max_open_files = 0;
  double start_seconds = 0;                 // since 1970
  std::map<uint32_t, uint64_t> node_bytes;  // resident, by NUMA node; empty if nobody knows
  std::optional<engine::CpuThrottling> throttling;
};

// Those of this process. What cannot be read stays 0. Cost: about 1 ms, most of it for node_bytes,
// which walks the page tables.
ProcessFacts ReadProcessFacts();

// The bytes of each node in the text of a numa_maps file of /proc.
std::map<uint32_t, uint64_t> NodeBytes(const std::string& numa_maps);

}  // namespace parity::metrics

#endif  // PARITY_METRICS_PROCESS_FACTS_H_
