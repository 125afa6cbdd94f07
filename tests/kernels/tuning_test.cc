// That a tuning changes no byte: each way of the kernels is forced at every size.
#include "parity/kernels/tuning.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"
#include "real_cpus.h"
#include "tunings.h"

namespace parity::kernels {
namespace {

constexpr size_t kSources = 3;
constexpr size_t kOutputs = 2;
constexpr size_t kMostRuns = 2 * kSources + kOutputs;

// Every length that a few vectors can make, and some around many.
std::vector<size_t> HostileLengths() {
  std::vector<size_t> lengths;
  for (size_t bytes = 0; bytes <= 330; ++bytes) lengths.push_back(bytes);
  for (size_t bytes = 331; bytes <= 1200; bytes += 11) lengths.push_back(bytes);
  for (const size_t around : {512, 576, 768, 1024, 2048, 4096}) {
    for (const size_t bytes : {around - 1, around, around + 1}) lengths.push_back(bytes);
  }
  return lengths;
}

class EveryWay : public OperationTest {};

TEST_P(EveryWay, GivesTheOracleBytesAtAnyAlignment) {
  constexpr size_t kMargin = 64;
  constexpr size_t kStride = 4416;
  Job job = JobOf(kSources, kOutputs);
  const Bytes noise = Noise(job.k() * kStride + kMargin, 1);
  const Bytes before = Noise((kOutputs + 1) * kStride, 2);
  Bytes block = before;
  // What each run is out of step with a cache line: outputs, then sources.
  constexpr size_t kResidues[][kMostRuns] = {
      {0, 0, 0, 0, 0, 0, 0, 0},         {1, 1, 1, 1, 1, 1, 1, 1},
      {32, 32, 32, 32, 32, 32, 32, 32}, {48, 48, 48, 48, 48, 48, 48, 48},
      {63, 63, 63, 63, 63, 63, 63, 63}, {1, 1, 0, 0, 0, 0, 0, 0},
      {0, 0, 5, 5, 5, 5, 5, 5},         {33, 33, 3, 40, 17, 9, 33, 2},
      {33, 12, 3, 40, 17, 0, 1, 64},    {32, 32, 16, 16, 16, 16, 16, 16},
      {32, 0, 32, 0, 0, 32, 0, 32},     {24, 56, 8, 8, 8, 8, 8, 40},
  };
  for (const auto& residues : kResidues) {
    for (size_t r = 0; r < job.m(); ++r) {
      job.parity[r] =
          block.data() + ToCacheLine(block.data()) + kMargin + r * kStride + residues[r];
    }
    for (size_t j = 0; j < job.k(); ++j) {
      job.sources[j] =
          noise.data() + ToCacheLine(noise.data()) + j * kStride + residues[kOutputs + j];
    }
    job.bytes = 4097;
    const std::vector<Bytes> expected = ExpectedOf(operation(), job);
    for (const Tuning* tuning : kTunings) {
      for (const size_t bytes : HostileLengths()) {
        job.bytes = bytes;
        Run(job, *tuning);
        for (size_t r = 0; r < job.m(); ++r) {
          uint8_t* const start = job.parity[r];
          const uint8_t* const was = before.data() + (start - block.data());
          ASSERT_TRUE(std::equal(start, start + bytes, expected[r].begin()) &&
                      std::equal(was - kMargin, was, start - kMargin) &&
                      std::equal(was + bytes, was + bytes + kMargin, start + bytes))
              << tuning->measured_on << ": " << bytes << " bytes, output " << r << " at "
              << residues[r];
          std::copy_n(was, bytes, start);
        }
      }
    }
  }
}

TEST_P(EveryWay, StaysInsideItsRuns) {
  constexpr size_t kPages = 4097;
  Job job = JobOf(kSources, kOutputs);
  GuardedRuns runs(operation(), job, kPages);
  for (const Tuning* tuning : kTunings) {
    for (const size_t bytes : HostileLengths()) {
      for (const bool at_end : {false, true}) {
        runs.Place(bytes, at_end);
        Run(job, *tuning);
        for (size_t r = 0; r < job.m(); ++r) {
          ASSERT_TRUE(runs.TakeBack(r))
              << tuning->measured_on << ": " << bytes << " bytes, output " << r;
        }
      }
    }
  }
}

TEST_P(EveryWay, MayOverwriteItsSources) {
  constexpr size_t kMost = 4097;
  // For each width, those just too short to be aligned are among them.
  constexpr size_t kLengths[] = {1,   33,  40,  47,  48,  63,  64,  65,  70,  95,   96,   127,
                                 128, 129, 150, 191, 192, 193, 260, 500, 700, 1023, 2048, kMost};
  for (const size_t residue : {0, 1, 32, 37}) {
    for (const size_t m : {2, 7}) {
      Job job = JobOf(m + 1, m);
      const size_t stride = (kMost + 63) / 64 * 64;
      const Bytes before = Noise((job.k() + 1) * stride, 8);
      Bytes block = before;
      const std::vector<uint8_t*> runs =
          RunsIn(block.data() + ToCacheLine(block.data()) + residue, job.k(), stride, 0);
      job.sources.assign(runs.begin(), runs.end());
      for (size_t r = 0; r < job.m(); ++r) job.parity[r] = runs[job.m() - r];
      job.bytes = kMost;
      const std::vector<Bytes> expected = ExpectedOf(operation(), job);
      for (const Tuning* tuning : kTunings) {
        for (const size_t bytes : kLengths) {
          job.bytes = bytes;
          Run(job, *tuning);
          for (size_t r = 0; r < job.m(); ++r) {
            ASSERT_TRUE(std::equal(job.parity[r], job.parity[r] + bytes, expected[r].begin()))
                << tuning->measured_on << ": " << bytes << " bytes at " << residue << ", output "
                << r << " of " << job.m();
          }
          block = before;
        }
      }
    }
  }
}

// A batch that changes its way from job to job.
TEST_P(EveryWay, RunsTheJobsOfABatchInOrder) {
  constexpr size_t kPlaces = 40;
  constexpr size_t kPlace = 1500;
  std::mt19937 random(9);
  for (const Tuning* tuning : kTunings) {
    Bytes block = Noise((kPlaces + 1) * kPlace, 10);
    Bytes expected = block;
    std::vector<Job> jobs;
    for (size_t i = 0; i < 200; ++i) {
      Job job = JobOf(1 + random() % 5, kOutputs);
      job.bytes = random() % (kPlace - 64);
      const size_t skew = random() % 2 * (random() % 64);
      Job oracle = job;
      const size_t output = random() % (kPlaces - job.m());
      for (size_t r = 0; r < job.m(); ++r) {
        job.parity[r] = block.data() + (output + r) * kPlace + skew;
        oracle.parity[r] = expected.data() + (output + r) * kPlace + skew;
      }
      for (size_t j = 0; j < job.k(); ++j) {
        const size_t at = random() % kPlaces * kPlace + skew;
        job.sources[j] = block.data() + at;
        oracle.sources[j] = expected.data() + at;
      }
      const std::vector<Bytes> sums = ExpectedOf(operation(), oracle);
      for (size_t r = 0; r < job.m(); ++r) {
        std::copy(sums[r].begin(), sums[r].end(), oracle.parity[r]);
      }
      jobs.push_back(job);
    }
    operation().run(table(), jobs.data(), jobs.size(), *tuning);
    EXPECT_EQ(block, expected) << tuning->measured_on;
  }
}

INSTANTIATE_FOR_EVERY_OPERATION(EveryWay);

TEST(TuningFor, SaysForAnyCpuWhereItIsFrom) {
  for (const CpuRegisters& cpu :
       {CpuRegisters{}, kNehalem, kHaswell, kSkylakeSp, kSapphireRapids, kZen4}) {
    EXPECT_STRNE(TuningFor(cpu).measured_on, "");
  }
}

TEST(HostTuning, IsThatForThisCpu) { EXPECT_EQ(&HostTuning(), &TuningFor(ReadCpuRegisters())); }

}  // namespace
}  // namespace parity::kernels
