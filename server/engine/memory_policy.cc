#include "parity/engine/memory_policy.h"

#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "absl/strings/str_cat.h"

namespace parity::engine {
namespace {

constexpr uint32_t kMaxNodes = 1024;  // of Linux, on every architecture
constexpr uint32_t kBitsPerWord = sizeof(unsigned long) * CHAR_BIT;

}  // namespace

absl::Status PreferNode(uint32_t node) {
  if (node >= kMaxNodes) {
    return absl::InvalidArgumentError(
        absl::StrCat("node: got ", node, ", want less than ", kMaxNodes));
  }
  std::array<unsigned long, kMaxNodes / kBitsPerWord> nodes{};
  nodes[node / kBitsPerWord] = 1UL << (node % kBitsPerWord);
  // Linux takes one bit less than it is told.
  if (syscall(SYS_set_mempolicy, MPOL_PREFERRED, nodes.data(), kMaxNodes + 1) == 0) {
    return absl::OkStatus();
  }
  return absl::ErrnoToStatus(errno, absl::StrCat("preferring memory of node ", node));
}

}  // namespace parity::engine
