#include "sources.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

constexpr size_t kSourcesBytes = size_t{64} << 20;

}  // namespace

void FillWithNoise(uint8_t* data, size_t bytes) {
  uint64_t noise = 0x9e3779b97f4a7c15;
  for (size_t at = 0; at + sizeof noise <= bytes; at += sizeof noise) {  // xorshift64
    noise ^= noise << 13;
    noise ^= noise >> 7;
    noise ^= noise << 17;
    std::memcpy(data + at, &noise, sizeof noise);
  }
}

absl::StatusOr<Sources> Sources::Make(size_t request_bytes) {
  const size_t bytes = std::max(kSourcesBytes, 2 * request_bytes);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes of data"));
  }
  madvise(memory, bytes, MADV_HUGEPAGE);
  auto* data = static_cast<uint8_t*>(memory);
  FillWithNoise(data, bytes);
  return Sources(data, bytes);
}

}  // namespace parity::bench
