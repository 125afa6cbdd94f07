#include "parity/timing/read_limit.h"

#include "parity/kernels/cpu_features.h"

namespace parity::timing {
namespace {

constexpr size_t kStepBytes = 256;  // of one stream before the next

template <size_t kBytes>
struct Vector {
  using Type [[gnu::vector_size(kBytes), gnu::aligned(1), gnu::may_alias]] = uint64_t;
};

// The sum is kept so that no read is left out.
template <size_t kBytes>
[[gnu::always_inline]] inline void Read(const uint8_t* start, size_t streams, size_t stream_bytes) {
  using Block = typename Vector<kBytes>::Type;
  constexpr size_t kBlocks = kStepBytes / kBytes;
  Block sum[kBlocks] = {};
  for (size_t at = 0; at < stream_bytes; at += kStepBytes) {
    for (size_t stream = 0; stream < streams; ++stream) {
      const auto* blocks = reinterpret_cast<const Block*>(start + stream * stream_bytes + at);
#pragma GCC unroll 16
      for (size_t i = 0; i < kBlocks; ++i) sum[i] ^= blocks[i];
    }
  }
  for (const Block& block : sum) asm volatile("" : : "m"(block));
}

using ReadFunction = void (*)(const uint8_t* start, size_t streams, size_t stream_bytes);

void ReadBaseline(const uint8_t* start, size_t streams, size_t stream_bytes) {
  Read<16>(start, streams, stream_bytes);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void ReadAvx2(const uint8_t* start, size_t streams, size_t stream_bytes) {
  Read<32>(start, streams, stream_bytes);
}
[[gnu::target("avx512f")]] void ReadAvx512(const uint8_t* start, size_t streams,
                                           size_t stream_bytes) {
  Read<64>(start, streams, stream_bytes);
}
#endif

ReadFunction WidestRead() {
#if defined(__x86_64__)
  const kernels::CpuFeatures features = kernels::FeaturesOf(kernels::ReadCpuRegisters());
  if ((features & kernels::kAvx512) != 0) return ReadAvx512;
  if ((features & kernels::kAvx2) != 0) return ReadAvx2;
#endif
  return ReadBaseline;
}

}  // namespace

std::vector<Call> ReadCalls(const uint8_t* start, size_t bytes) {
  const ReadFunction read = WidestRead();
  std::vector<Call> calls;
  for (const size_t streams : {1, 2, 4, 8, 16}) {
    calls.push_back(
        Repeated([read, start, streams, bytes] { read(start, streams, bytes / streams); }));
  }
  return calls;
}

}  // namespace parity::timing
