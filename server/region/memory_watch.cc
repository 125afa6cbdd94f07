#include "parity/region/memory_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>

namespace parity::region {

MemoryWatch::MemoryWatch() : inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

bool MemoryWatch::Keep(const std::vector<int>& descriptors, engine::ByteBudget::Lease& lease) {
  std::vector<int> watches;
  for (const int fd : descriptors) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    const int watch = inotify_add_watch(inotify_.get(), path.c_str(), IN_DELETE_SELF);
    if (watch == -1) {
      for (const int earlier : watches) inotify_rm_watch(inotify_.get(), earlier);
      return false;
    }
    watches.push_back(watch);
  }
  const auto kept = std::make_shared<engine::ByteBudget::Lease>(std::move(lease));
  for (const int watch : watches) leases_[watch] = kept;
  return true;
}

void MemoryWatch::Update() {
  alignas(inotify_event) std::array<char, 4096> events;
  while (true) {
    const ssize_t bytes = read(inotify_.get(), events.data(), events.size());
    if (bytes <= 0) return;
    for (ssize_t at = 0; at < bytes;) {
      const auto& event = *reinterpret_cast<const inotify_event*>(events.data() + at);
      if ((event.mask & IN_IGNORED) != 0) leases_.erase(event.wd);
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

}  // namespace parity::region
