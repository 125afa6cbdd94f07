// Topologies of machines that the test does not run on.
#ifndef PARITY_TESTS_ENGINE_TOPOLOGY_H_
#define PARITY_TESTS_ENGINE_TOPOLOGY_H_

#include <hwloc.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace parity::engine {

class Topology {
 public:
  // From a description: "package:2 [numa] core:4 pu:2".
  static Topology Synthetic(const char* description) {
    return Topology([description](hwloc_topology_t topology) {
      return hwloc_topology_set_synthetic(topology, description);
    });
  }
  // From tests/engine/topologies.
  static Topology Exported(const std::string& file) {
    return Topology([&file](hwloc_topology_t topology) {
      return hwloc_topology_set_xml(topology, (std::string(PARITY_TOPOLOGIES "/") + file).c_str());
    });
  }
  ~Topology() { hwloc_topology_destroy(topology_); }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  hwloc_topology* get() const { return topology_; }

 private:
  template <class Source>
  explicit Topology(const Source& source) {
    EXPECT_EQ(hwloc_topology_init(&topology_), 0);
    EXPECT_EQ(source(topology_), 0);
    EXPECT_EQ(hwloc_topology_set_flags(topology_, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED), 0);
    EXPECT_EQ(hwloc_topology_load(topology_), 0);
  }

  hwloc_topology_t topology_;
};

inline std::vector<uint32_t> Cpus(uint32_t first, uint32_t count) {
  std::vector<uint32_t> cpus(count);
  std::iota(cpus.begin(), cpus.end(), first);
  return cpus;
}

}  // namespace parity::engine

#endif  // PARITY_TESTS_ENGINE_TOPOLOGY_H_
