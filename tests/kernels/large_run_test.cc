// Runs longer than 32 bits can count. Address space is cheap: almost all of a run is one small file
// mapped again and again, and only the windows that are checked have pages of their own.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "parity/kernels/gf256.h"
#include "sanitizers.h"

namespace parity::kernels {
namespace {

constexpr size_t kTileBytes = size_t{16} << 20;
constexpr size_t kWindowBytes = size_t{64} << 10;  // on either side of what it is around
constexpr size_t kTwoGiB = size_t{1} << 31;
constexpr size_t kFourGiB = size_t{1} << 32;
constexpr size_t kMappedBytes = kFourGiB + kTileBytes;
constexpr size_t kWindowsAround[] = {kWindowBytes, kTwoGiB, kFourGiB};

class RepeatedMapping {
 public:
  RepeatedMapping() {
    const int tile = memfd_create("tile", 0);
    if (tile < 0 || ftruncate(tile, kTileBytes) != 0) ADD_FAILURE() << "memfd";
    start_ = static_cast<uint8_t*>(
        mmap(nullptr, kMappedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    // Populated, as a million page faults would take longer than a kernel.
    for (size_t at = 0; at < kMappedBytes; at += kTileBytes) {
      Map(at, kTileBytes, MAP_SHARED | MAP_POPULATE, tile);
    }
    for (const size_t around : kWindowsAround) {
      Map(around - kWindowBytes, 2 * kWindowBytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    }
    close(tile);
  }
  ~RepeatedMapping() { munmap(start_, kMappedBytes); }
  RepeatedMapping(const RepeatedMapping&) = delete;
  RepeatedMapping& operator=(const RepeatedMapping&) = delete;

  uint8_t* start() const { return start_; }

 private:
  void Map(size_t at, size_t bytes, int flags, int file) {
    void* mapped = mmap(start_ + at, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0);
    if (mapped != start_ + at) ADD_FAILURE() << "mmap at " << at;
  }

  uint8_t* start_;
};

constexpr uint8_t kUntouched = 0xa5;

// A source and an output, in all bytes but those of the windows 0 at first.
class LargeMemory {
 public:
  LargeMemory() {
    for (const size_t around : kWindowsAround) {
      const Bytes noise = Noise(2 * kWindowBytes, static_cast<uint32_t>(around / kWindowBytes));
      std::copy(noise.begin(), noise.end(), source() + around - kWindowBytes);
      std::fill_n(output() + around - kWindowBytes, 2 * kWindowBytes, kUntouched);
    }
  }

  uint8_t* source() const { return source_.start(); }
  uint8_t* output() const { return output_.start(); }

 private:
  RepeatedMapping source_;
  RepeatedMapping output_;
};

// Checks, within the windows, `bytes` bytes of
//   output = first_factor * source ^ second_factor * (source + 1) ^ before.
void ExpectSums(const LargeMemory& memory, size_t bytes, uint8_t first_factor,
                uint8_t second_factor, uint8_t before) {
  for (const size_t around : kWindowsAround) {
    for (size_t at = around - kWindowBytes; at < around + kWindowBytes - 1; ++at) {
      const uint8_t* source = memory.source() + at;
      const uint8_t expected = at < bytes ? kGfTables.product[first_factor][source[0]] ^
                                                kGfTables.product[second_factor][source[1]] ^ before
                                          : kUntouched;
      ASSERT_EQ(memory.output()[at], expected) << at << " of " << bytes;
    }
  }
}

void ExpectXor(const KernelTable& table, size_t bytes) {
  const LargeMemory memory;
  const uint8_t* sources[] = {memory.source(), memory.source() + 1};
  const XorJob job = {memory.output(), sources, 2, bytes};
  table.xor_generate(&job, 1, HostTuning());
  ExpectSums(memory, bytes, 1, 1, 0);
}

#define SKIP_UNDER_THREAD_SANITIZER() \
  if (kThreadSanitizer) GTEST_SKIP() << "takes 4 times the memory, and has no threads"

// As the tables share their templates, one operation is enough for each.
class LargeRun : public TableTest {};

TEST_P(LargeRun, IsDoneToTheLastByteAndNoFurther) {
  SKIP_UNDER_THREAD_SANITIZER();
  ExpectXor(table(), kFourGiB + 1);
}

INSTANTIATE_FOR_EVERY_TABLE(LargeRun);

const KernelTable& BestTable() { return *UsableTables(ReadCpuRegisters()).front(); }

TEST(LargeRunOfTheBestTable, IsDoneToTheLastByteAroundTwoGiB) {
  SKIP_UNDER_THREAD_SANITIZER();
  ExpectXor(BestTable(), kTwoGiB - 1);
  ExpectXor(BestTable(), kTwoGiB);
}

TEST(LargeRunOfTheBestTable, IsDoneToTheLastByteOfPAndQ) {
  SKIP_UNDER_THREAD_SANITIZER();
  const LargeMemory memory;
  const RepeatedMapping p;
  const uint8_t* sources[] = {memory.source(), memory.source() + 1};
  const PqJob job = {p.start(), memory.output(), sources, 2, kFourGiB + 1};
  BestTable().pq_generate(&job, 1, HostTuning());
  ExpectSums(memory, job.bytes, 1, 2, 0);
}

TEST(LargeRunOfTheBestTable, IsDoneToTheLastByteOfMatrices) {
  SKIP_UNDER_THREAD_SANITIZER();
  const LargeMemory memory;
  const uint8_t* sources[] = {memory.source(), memory.source() + 1};
  uint8_t* dst[] = {memory.output()};
  const GfFactor factors[] = {FactorOf(2), FactorOf(3)};
  const GfMatrixJob job = {dst, sources, factors, 2, 1, kFourGiB + 1};
  BestTable().gf_matrix(&job, 1, HostTuning());
  ExpectSums(memory, job.bytes, 2, 3, 0);
}

TEST(LargeRunOfTheBestTable, IsAddedToTheLastByte) {
  SKIP_UNDER_THREAD_SANITIZER();
  const LargeMemory memory;
  const uint8_t* sources[] = {memory.source(), memory.source() + 1};
  uint8_t* dst[] = {memory.output()};
  const GfFactor factors[] = {FactorOf(4), FactorOf(5)};
  const GfMatrixJob job = {dst, sources, factors, 2, 1, kFourGiB + 1};
  BestTable().gf_matrix_add(&job, 1, HostTuning());
  ExpectSums(memory, job.bytes, 4, 5, kUntouched);
}

TEST(LargeRunOfTheBestTable, IsComparedToTheLastByte) {
  SKIP_UNDER_THREAD_SANITIZER();
  constexpr size_t kBytes = kFourGiB + 1;
  const LargeMemory memory;
  for (const size_t around : kWindowsAround) {
    std::copy_n(memory.source() + around - kWindowBytes, 2 * kWindowBytes,
                memory.output() + around - kWindowBytes);
  }
  const uint8_t* source = memory.source();
  const uint8_t* parity = memory.output();
  const GfFactor one = FactorOf(1);
  // P and Q of one source are that source.
  const auto compare = [&] {
    std::vector<size_t> found(4);
    const XorCompareJob xor_job = {parity, &source, 1, kBytes, &found[0]};
    BestTable().xor_compare(&xor_job, 1);
    const PqCompareJob pq_job = {parity, parity, &source, 1, kBytes, &found[1]};
    BestTable().pq_compare(&pq_job, 1);
    const GfCompareJob gf_job = {&parity, &source, &one, 1, 1, kBytes, &found[3]};
    BestTable().gf_compare(&gf_job, 1);
    return found;
  };
  EXPECT_EQ(compare(), std::vector<size_t>(4, kBytes));
  memory.output()[kFourGiB] ^= 1;
  EXPECT_EQ(compare(), std::vector<size_t>(4, kFourGiB));
  memory.output()[kTwoGiB] ^= 1;
  EXPECT_EQ(compare(), std::vector<size_t>(4, kTwoGiB));
}

}  // namespace
}  // namespace parity::kernels
