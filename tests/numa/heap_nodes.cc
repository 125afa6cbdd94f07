// heap_nodes PID ARENAS: prints on which NUMA nodes the malloc arenas of a process lie that hold
// more than 8 MiB. Exits 0 if there are at least ARENAS of them, each on one node alone, and
// together on more than one; else 1. Smaller ones belong to threads that are tied to no node.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr uintptr_t kPageBytes = 4096;
constexpr uintptr_t kArenaBytes = 64 << 20;  // glibc aligns an arena's memory to its largest size
constexpr size_t kLargePages = (8 << 20) / kPageBytes;

using PagesByNode = std::map<int, size_t>;

// Whether an arena's memory is at `address`: it begins with the address of its arena, which is in
// the first page of its memory or of that of another. Else it is of stacks and libraries.
bool IsArena(int memory, uintptr_t address) {
  uintptr_t arena = 0;
  return pread(memory, &arena, sizeof arena, static_cast<off_t>(address)) == sizeof arena &&
         arena != 0 && arena % kArenaBytes < kPageBytes;
}

// Adds the pages of [begin, end) to the arena that each would be in, and to `begins` the arenas
// that there are.
bool Count(pid_t process, int memory, uintptr_t begin, uintptr_t end,
           std::map<uintptr_t, PagesByNode>& arenas, std::set<uintptr_t>& begins) {
  std::vector<void*> pages;
  for (uintptr_t page = begin; page < end; page += kPageBytes) {
    pages.push_back(reinterpret_cast<void*>(page));  // NOLINT(performance-no-int-to-ptr)
  }
  std::vector<int> nodes(pages.size());
  if (syscall(SYS_move_pages, process, pages.size(), pages.data(), nullptr, nodes.data(), 0) != 0) {
    std::fprintf(stderr, "heap_nodes: move_pages: %s\n", std::strerror(errno));
    return false;
  }
  for (size_t i = 0; i < pages.size(); ++i) {
    const uintptr_t page = begin + i * kPageBytes;
    if (nodes[i] < 0) continue;
    ++arenas[page - page % kArenaBytes][nodes[i]];
    if (page % kArenaBytes == 0 && IsArena(memory, page)) begins.insert(page);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: heap_nodes PID ARENAS\n", stderr);
    return 2;
  }
  std::map<uintptr_t, PagesByNode> arenas;
  std::set<uintptr_t> begins;
  const int memory = open((std::string("/proc/") + argv[1] + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory == -1) {
    std::fprintf(stderr, "heap_nodes: memory of %s: %s\n", argv[1], std::strerror(errno));
    return 1;
  }
  std::ifstream maps(std::string("/proc/") + argv[1] + "/maps");
  for (std::string line; std::getline(maps, line);) {
    // "begin-end perms offset device inode [name]"; of interest is what is no file and may be
    // written.
    std::istringstream fields(line);
    uintptr_t begin = 0;
    uintptr_t end = 0;
    char dash = 0;
    std::string perms, offset, device, inode, name;
    fields >> std::hex >> begin >> dash >> end >> perms >> offset >> device >> inode >> name;
    if (perms.rfind("rw", 0) != 0 || !name.empty()) continue;
    if (!Count(static_cast<pid_t>(std::atoi(argv[1])), memory, begin, end, arenas, begins)) {
      return 1;
    }
  }
  size_t large = 0;
  bool pure = true;
  std::set<int> used_nodes;
  for (const auto& [arena, nodes] : arenas) {
    if (begins.count(arena) == 0) continue;
    size_t pages = 0;
    for (const auto& [node, count] : nodes) pages += count;
    if (pages <= kLargePages) continue;
    ++large;
    pure = pure && nodes.size() == 1;
    std::printf("arena %zx:", static_cast<size_t>(arena));
    for (const auto& [node, count] : nodes) {
      used_nodes.insert(node);
      std::printf(" %zu KiB on node %d", count * kPageBytes / 1024, node);
    }
    std::printf("\n");
  }
  return pure && large >= static_cast<size_t>(std::atoi(argv[2])) && used_nodes.size() > 1 ? 0 : 1;
}
