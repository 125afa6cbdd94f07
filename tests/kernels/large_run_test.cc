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
    for (size_t at = 0; at < kMappedBytes; at += kTileBytes) {
      Map(at, kTileBytes, MAP_SHARED, tile);
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

class LargeRun : public TableTest {
 protected:
  void SetUp() override {
    if (kThreadSanitizer) GTEST_SKIP() << "takes 4 times the memory, and has no threads";
    for (const size_t around : kWindowsAround) {
      const Bytes noise = Noise(2 * kWindowBytes, static_cast<uint32_t>(around / kWindowBytes));
      std::copy(noise.begin(), noise.end(), source_.start() + around - kWindowBytes);
    }
  }

  void PoisonWindows() {
    for (const size_t around : kWindowsAround) {
      std::fill_n(dst_.start() + around - kWindowBytes, 2 * kWindowBytes, kUntouched);
    }
  }

  // Checks dst = first_factor * source ^ second_factor * (source + 1), within the windows.
  void ExpectSums(size_t bytes, uint8_t first_factor, uint8_t second_factor) const {
    for (const size_t around : kWindowsAround) {
      for (size_t at = around - kWindowBytes; at < around + kWindowBytes - 1; ++at) {
        const uint8_t* source = source_.start() + at;
        const uint8_t expected = at < bytes ? kGfTables.product[first_factor][source[0]] ^
                                                  kGfTables.product[second_factor][source[1]]
                                            : kUntouched;
        ASSERT_EQ(dst_.start()[at], expected) << at << " of " << bytes;
      }
    }
  }

  static constexpr uint8_t kUntouched = 0xa5;
  RepeatedMapping source_;
  RepeatedMapping dst_;
};

TEST_P(LargeRun, OfXorIsDoneToTheLastByteAndNoFurther) {
  const uint8_t* sources[] = {source_.start(), source_.start() + 1};
  for (const size_t bytes : {kTwoGiB - 1, kTwoGiB, kFourGiB + 1}) {
    PoisonWindows();
    const XorJob job = {dst_.start(), sources, 2, bytes};
    table().xor_generate(&job, 1, HostTuning());
    ExpectSums(bytes, 1, 1);
  }
}

TEST_P(LargeRun, OfAMatrixIsDoneToTheLastByteAndNoFurther) {
  const uint8_t* sources[] = {source_.start(), source_.start() + 1};
  uint8_t* dst[] = {dst_.start()};
  const GfFactor factors[] = {FactorOf(2), FactorOf(3)};
  PoisonWindows();
  const GfMatrixJob job = {dst, sources, factors, 2, 1, kFourGiB + 1};
  table().gf_matrix(&job, 1, HostTuning());
  ExpectSums(kFourGiB + 1, 2, 3);
}

INSTANTIATE_FOR_EVERY_TABLE(LargeRun);

}  // namespace
}  // namespace parity::kernels
