#include "parity/shm/mapping.h"

#include <sys/mman.h>

#include <cerrno>

#include "absl/status/status.h"

namespace parity::shm {
namespace {

constexpr size_t kHugePageBytes = size_t{2} << 20;

}  // namespace

absl::StatusOr<Mapping> Mapping::Map(int fd, size_t bytes, Access access) {
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  if (bytes < kHugePageBytes) {
    void* const data = mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) return absl::ErrnoToStatus(errno, "mmap");
    return Mapping(static_cast<uint8_t*>(data), bytes);
  }
  // Addresses with room for the alignment; what is not needed of them goes back.
  void* const reserved = mmap(nullptr, bytes + kHugePageBytes, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return absl::ErrnoToStatus(errno, "mmap");
  auto* const begin = static_cast<uint8_t*>(reserved);
  const size_t before =
      (kHugePageBytes - reinterpret_cast<uintptr_t>(begin) % kHugePageBytes) % kHugePageBytes;
  void* const data = mmap(begin + before, bytes, protection, MAP_SHARED | MAP_FIXED, fd, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    munmap(reserved, bytes + kHugePageBytes);
    return absl::ErrnoToStatus(error, "mmap");
  }
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePageBytes - before);
  return Mapping(static_cast<uint8_t*>(data), bytes);
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

}  // namespace parity::shm
