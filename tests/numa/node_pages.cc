#include "node_pages.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "gtest/gtest.h"

namespace parity {

std::map<int, size_t> NodesOfPages(const void* data, size_t bytes) {
  const auto page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data) & ~(page_bytes - 1);
  std::vector<void*> pages;
  for (uintptr_t page = begin; page < reinterpret_cast<uintptr_t>(data) + bytes;
       page += page_bytes) {
    pages.push_back(reinterpret_cast<void*>(page));  // NOLINT(performance-no-int-to-ptr)
  }
  std::vector<int> nodes(pages.size(), -ENODATA);
  std::map<int, size_t> counts;
  if (syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) {
    counts[-errno] = pages.size();
    return counts;
  }
  for (int node : nodes) ++counts[node];
  return counts;
}

void ExpectOn(uint32_t node, const void* data, size_t bytes) {
  const std::map<int, size_t> pages = NodesOfPages(data, bytes);
  size_t count = 0;
  for (const auto& [any, of_node] : pages) count += of_node;
  const std::map<int, size_t> wanted = {{static_cast<int>(node), count}};
  EXPECT_EQ(pages, wanted) << bytes << " bytes";
}

const char* WhyNodesAreUnknown() {
  int balancing = 0;
  std::ifstream("/proc/sys/kernel/numa_balancing") >> balancing;
  if (balancing != 0) {
    return "numa_balancing is on: it moves pages, and hides from move_pages those it watches";
  }
  const char page[1] = {1};
  if (NodesOfPages(page, 1).begin()->first < 0) return "move_pages is refused";
  return nullptr;
}

}  // namespace parity
