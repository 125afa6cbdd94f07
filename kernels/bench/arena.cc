#include "arena.h"

#include <sys/mman.h>

#include <cassert>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kMostOffset = 64;

}  // namespace

absl::StatusOr<Arena> Arena::Make(size_t capacity_bytes) {
  void* start = mmap(nullptr, capacity_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--memory: mmap of ", capacity_bytes, " bytes: ", strerror(errno)));
  }
  madvise(start, capacity_bytes, MADV_NOHUGEPAGE);
  return Arena(static_cast<uint8_t*>(start), capacity_bytes);
}

Arena::Arena(uint8_t* start, size_t capacity_bytes)
    : start_(start), capacity_bytes_(capacity_bytes) {}

Arena::Arena(Arena&& other) noexcept
    : start_(other.start_),
      capacity_bytes_(other.capacity_bytes_),
      noise_bytes_(other.noise_bytes_),
      used_bytes_(other.used_bytes_),
      random_(other.random_) {
  other.start_ = nullptr;
}

Arena::~Arena() {
  if (start_ != nullptr) munmap(start_, capacity_bytes_);
}

size_t Arena::Footprint(size_t shard_bytes) {
  return (shard_bytes + kMostOffset + kPage - 1) / kPage * kPage;
}

void Arena::Reset() {
  used_bytes_ = 0;
  random_.seed(1);
}

uint8_t* Arena::Place(size_t shard_bytes, Alignment alignment) {
  uint8_t* shard = start_ + used_bytes_;
  used_bytes_ += Footprint(shard_bytes);
  assert(used_bytes_ <= capacity_bytes_);
  for (; noise_bytes_ < used_bytes_; noise_bytes_ += sizeof(uint64_t)) {
    const uint64_t noise = (noise_bytes_ + 1) * 0x9e3779b97f4a7c15u;
    const uint64_t mixed = noise ^ (noise >> 29);
    std::memcpy(start_ + noise_bytes_, &mixed, sizeof(mixed));
  }
  switch (alignment) {
    case Alignment::kPage:
      return shard;
    case Alignment::kPlus1:
      return shard + 1;
    case Alignment::kPlus32:
      return shard + 32;
    case Alignment::kRandom:
      return shard + random_() % kMostOffset;
  }
  return shard;
}

}  // namespace parity::bench
