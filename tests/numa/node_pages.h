// On which NUMA node memory lies, asked of the kernel page by page (move_pages(2)).
#ifndef PARITY_TESTS_NUMA_NODE_PAGES_H_
#define PARITY_TESTS_NUMA_NODE_PAGES_H_

#include <cstddef>
#include <cstdint>
#include <map>

namespace parity {

// How many pages of [data, data + bytes) lie on each node; negative: errno of a page without one.
std::map<int, size_t> NodesOfPages(const void* data, size_t bytes);

// EXPECTs that they all lie on `node`.
void ExpectOn(uint32_t node, const void* data, size_t bytes);

// Why nothing can be said of nodes here; null if it can.
const char* WhyNodesAreUnknown();

}  // namespace parity

#endif  // PARITY_TESTS_NUMA_NODE_PAGES_H_
