// What holds for every operation that writes parity: the oracle's bytes for any length, shape,
// alignment and aliasing, and no access outside the runs.
#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"

namespace parity::kernels {
namespace {

constexpr size_t kLongest = 4097;
// What is checked around an output.
constexpr size_t kMargin = 64;
constexpr size_t kCacheLine = 64;

using Shape = std::pair<size_t, size_t>;

std::vector<const uint8_t*> SourcesIn(const Bytes& block, size_t k, size_t bytes, size_t skew) {
  return RunsIn(block.data(), k, bytes, skew);
}

class Generate : public OperationTest {
 protected:
  // m outputs and their margins in one block.
  class Outputs {
   public:
    Outputs(size_t m, size_t bytes, size_t skew)
        : before_(Noise(kMargin + m * (bytes + kMargin + skew), 7)), block_(before_) {
      runs_ = RunsIn(block_.data() + kMargin, m, bytes, kMargin + skew);
    }

    const std::vector<uint8_t*>& runs() const { return runs_; }
    // Undoes what a job of that many bytes should have done.
    void Restore(size_t bytes) {
      for (uint8_t* run : runs_) std::copy_n(Before(run), bytes, run);
    }
    bool MarginsAreUntouched(size_t r, size_t bytes) const {
      const uint8_t* start = runs_[r];
      return std::equal(start - kMargin, start, Before(start) - kMargin) &&
             std::equal(start + bytes, start + bytes + kMargin, Before(start) + bytes);
    }

   private:
    const uint8_t* Before(const uint8_t* p) const { return before_.data() + (p - block_.data()); }

    const Bytes before_;
    Bytes block_;
    std::vector<uint8_t*> runs_;
  };
};

TEST_P(Generate, GivesTheOracleBytesForEveryLength) {
  constexpr size_t kSkew = 3;
  const std::vector<Shape> shapes =
      operation().code == Code::kMatrix
          ? std::vector<Shape>{{1, 1}, {3, 2}, {2, 3}, {4, 4}, {3, 5}}
          : std::vector<Shape>{{1, 1}, {2, 1}, {3, 1}, {7, 1}, {8, 1}, {11, 1}};
  for (const auto& [k, m] : shapes) {
    Job job = JobOf(k, m);
    const Bytes noise = Noise(job.k() * (kLongest + kSkew), static_cast<uint32_t>(k));
    Outputs outputs(job.m(), kLongest, 1);
    job.sources = SourcesIn(noise, job.k(), kLongest, kSkew);
    job.parity = outputs.runs();
    job.bytes = kLongest;
    const std::vector<Bytes> expected = ExpectedOf(operation(), job);
    for (job.bytes = 0; job.bytes <= kLongest; ++job.bytes) {
      Run(job);
      for (size_t r = 0; r < job.m(); ++r) {
        ASSERT_TRUE(std::equal(job.parity[r], job.parity[r] + job.bytes, expected[r].begin()))
            << k << "+" << job.m() << " x " << job.bytes << ", output " << r;
        ASSERT_TRUE(outputs.MarginsAreUntouched(r, job.bytes))
            << k << "+" << job.m() << " x " << job.bytes << ", output " << r;
      }
      outputs.Restore(job.bytes);
    }
  }
}

TEST_P(Generate, TakesAnyNumberOfSources) {
  constexpr size_t kMost = 1100;
  const Job widest = JobOf(kMaxGfShards, 2);
  const Bytes noise = Noise(kCacheLine + widest.k() * (kMost + kCacheLine), 1);
  for (const size_t bytes : {size_t{1}, size_t{3}, size_t{31}, size_t{100}, size_t{600}, kMost}) {
    Outputs outputs(widest.m(), bytes, 5);
    Job job;
    job.bytes = bytes;
    job.parity = outputs.runs();
    std::vector<Bytes> expected(job.m(), Bytes(bytes));
    if (operation().adds) {
      for (size_t r = 0; r < job.m(); ++r) {
        AddProduct(expected[r].data(), FactorOf(1), job.parity[r], bytes);
      }
    }
    // All aligned, or most not.
    const size_t skew = bytes == 100 ? kCacheLine - bytes % kCacheLine : 7;
    const std::vector<const uint8_t*> sources =
        RunsIn(noise.data() + ToCacheLine(noise.data()), widest.k(), bytes, skew);
    while (job.k() < widest.k()) {
      for (size_t runs = operation().delta ? 2 : 1; runs > 0; --runs) {
        const GfFactor* const factors = widest.factors.data() + job.k() * job.m();
        for (size_t r = 0; r < job.m(); ++r) {
          AddProduct(expected[r].data(), factors[r], sources[job.k()], bytes);
        }
        job.factors.insert(job.factors.end(), factors, factors + job.m());
        job.sources.push_back(sources[job.k()]);
      }
      Run(job);
      for (size_t r = 0; r < job.m(); ++r) {
        ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), job.parity[r]))
            << job.k() << " x " << bytes << ", output " << r;
      }
      outputs.Restore(bytes);
    }
  }
}

// With enough aligned sources, short runs are covered in another way.
TEST_P(Generate, TakesManyAlignedSourcesOfEveryShortLength) {
  constexpr size_t kMost = 320;
  for (const size_t k : {15, 16, 17}) {
    Job job = JobOf(k, 2);
    const Bytes noise = Noise(kCacheLine + job.k() * kMost, 2);
    job.sources = RunsIn(noise.data() + ToCacheLine(noise.data()), job.k(), kMost, 0);
    Outputs outputs(job.m(), kMost, 0);
    job.parity = outputs.runs();
    job.bytes = kMost;
    const std::vector<Bytes> expected = ExpectedOf(operation(), job);
    for (job.bytes = 0; job.bytes <= kMost; ++job.bytes) {
      Run(job);
      for (size_t r = 0; r < job.m(); ++r) {
        ASSERT_TRUE(std::equal(job.parity[r], job.parity[r] + job.bytes, expected[r].begin()) &&
                    outputs.MarginsAreUntouched(r, job.bytes))
            << k << " x " << job.bytes << ", output " << r;
      }
      outputs.Restore(job.bytes);
    }
  }
}

TEST_P(Generate, TakesAnyAlignment) {
  constexpr size_t kStride = 4416;  // a multiple of 64
  constexpr size_t kMost = kStride - 2 * kMargin;
  Job job = JobOf(3, 2);
  const Bytes noise = Noise(job.k() * kStride + 2 * kMargin, 2);
  // Room for every residue, and the margins.
  const Bytes before = Noise(kMargin + job.m() * (kStride + 2 * kMargin), 3);
  Bytes block = before;
  const auto sources_at = [&](size_t residue) {
    return RunsIn(noise.data() + ToCacheLine(noise.data()) + residue, job.k(), kStride, 0);
  };
  // As all sources move together, so do their sums.
  Job all = job;
  all.sources = sources_at(0);
  all.bytes = kMost + 63;
  const std::vector<Bytes> sums = SumsOf(all);

  for (const size_t bytes : {size_t{40}, size_t{200}, size_t{700}, size_t{1100}, kMost}) {
    job.bytes = bytes;
    Bytes expected(bytes);
    for (size_t source_residue = 0; source_residue < 64; ++source_residue) {
      job.sources = sources_at(source_residue);
      for (size_t residue = 0; residue < 64; ++residue) {
        // The second output moves with the first, or against it.
        const bool with = (source_residue + residue) % 2 == 0;
        for (size_t r = 0; r < job.m(); ++r) {
          job.parity[r] = block.data() + ToCacheLine(block.data()) + kMargin +
                          r * (kStride + kMargin) + (with || r == 0 ? residue : 63 - residue);
        }
        Run(job);
        for (size_t r = 0; r < job.m(); ++r) {
          uint8_t* const start = job.parity[r];
          const uint8_t* const was = before.data() + (start - block.data());
          std::copy_n(sums[r].data() + source_residue, bytes, expected.data());
          if (operation().adds) AddProduct(expected.data(), FactorOf(1), was, bytes);
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), start) &&
                      std::equal(was - kMargin / 2, was, start - kMargin / 2) &&
                      std::equal(was + bytes, was + bytes + kMargin / 2, start + bytes))
              << bytes << " bytes at " << residue << " from " << source_residue << ", output " << r;
          std::copy_n(was, bytes, start);
        }
      }
    }
  }
}

TEST_P(Generate, StaysInsideItsRuns) {
  constexpr size_t kPages = 4200;
  const std::vector<Shape> shapes = operation().code == Code::kMatrix
                                        ? std::vector<Shape>{{3, 2}, {2, 5}}
                                        : std::vector<Shape>{{3, 1}, {9, 1}};
  std::vector<size_t> lengths;
  for (size_t bytes = 0; bytes <= 600; ++bytes) lengths.push_back(bytes);
  for (size_t bytes = 4090; bytes <= kPages; ++bytes) lengths.push_back(bytes);
  for (const auto& [k, m] : shapes) {
    Job job = JobOf(k, m);
    GuardedRuns runs(operation(), job, kPages);
    for (const size_t bytes : lengths) {
      for (const bool at_end : {false, true}) {
        runs.Place(bytes, at_end);
        Run(job);
        for (size_t r = 0; r < job.m(); ++r) {
          ASSERT_TRUE(runs.TakeBack(r))
              << k << "+" << job.m() << " x " << bytes << ", output " << r;
        }
      }
    }
  }
}

// Any output may be any source, however many passes over the sources the outputs take.
TEST_P(Generate, MayOverwriteAnyOfItsSources) {
  constexpr size_t kSkew = 5;
  std::mt19937 random(5);
  const auto overwrite = [&](size_t k, size_t m, size_t bytes) {
    Job job = JobOf(k, m);
    const size_t runs = job.k() + job.m();
    Bytes block = Noise(runs * (bytes + kSkew), static_cast<uint32_t>(bytes));
    std::vector<uint8_t*> outputs = RunsIn(block.data(), runs, bytes, kSkew);
    job.sources.assign(outputs.begin(), outputs.begin() + static_cast<ptrdiff_t>(job.k()));
    std::shuffle(outputs.begin(), outputs.end(), random);
    std::copy_n(outputs.begin(), job.m(), job.parity.begin());
    job.bytes = bytes;
    Bytes expected = block;
    const std::vector<Bytes> sums = ExpectedOf(operation(), job);
    for (size_t r = 0; r < job.m(); ++r) {
      std::copy(sums[r].begin(), sums[r].end(), expected.begin() + (job.parity[r] - block.data()));
    }
    Run(job);
    return block == expected;
  };
  for (size_t bytes = 1; bytes <= 1100; ++bytes) {
    ASSERT_TRUE(overwrite(3, 2, bytes)) << bytes;
  }
  for (size_t m = 1; m <= 12; ++m) {
    for (const size_t k : {m, m + 3, size_t{1}}) {
      for (const size_t bytes : {1, 7, 16, 40, 64, 65, 127, 128, 300, 1100, 4099}) {
        ASSERT_TRUE(overwrite(k, m, bytes)) << k << "+" << m << " x " << bytes;
      }
    }
  }
}

TEST_P(Generate, MayOverwriteEachOfItsSources) {
  constexpr size_t kRun = 1536;
  Job job = JobOf(17, 2);
  const Bytes noise = Noise(kCacheLine + (job.k() + 1) * kRun, 6);
  for (const size_t bytes : {1, 33, 100, 1500}) {
    for (size_t first = 0; first <= job.k(); ++first) {
      // Each of the others is the second output's in turn.
      const size_t second = (first + 1 + bytes % job.k()) % (job.k() + 1);
      Bytes block = noise;
      const std::vector<uint8_t*> runs =
          RunsIn(block.data() + ToCacheLine(block.data()), job.k() + 1, kRun, 0);
      job.sources.assign(runs.begin(), runs.end() - 1);
      job.parity[0] = runs[first];
      if (job.m() == 2) job.parity[1] = runs[second];
      job.bytes = bytes;
      const std::vector<Bytes> expected = ExpectedOf(operation(), job);
      Run(job);
      for (size_t r = 0; r < job.m(); ++r) {
        ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), job.parity[r]))
            << bytes << " bytes over sources " << first << " and " << second;
      }
    }
  }
}

TEST_P(Generate, RunsTheJobsOfABatchInOrder) {
  constexpr size_t kJobs = 150;
  constexpr size_t kPlace = 300;
  constexpr size_t kMostOutputs = 6;
  std::mt19937 random(3);
  Bytes block = Noise((kJobs + 1) * kMostOutputs * kPlace, 4);
  Bytes expected = block;
  std::vector<Job> jobs;
  // Every job writes to places of its own and reads from any place, what earlier jobs wrote
  // included.
  for (size_t i = 0; i < kJobs; ++i) {
    Job job = JobOf(1 + random() % 12, 1 + random() % kMostOutputs);
    job.bytes = random() % kPlace;
    const auto offset_of = [&](size_t place) { return place * kPlace; };
    Job oracle = job;
    for (size_t j = 0; j < job.k(); ++j) {
      const size_t at = offset_of(random() % (block.size() / kPlace));
      job.sources[j] = block.data() + at;
      oracle.sources[j] = expected.data() + at;
    }
    for (size_t r = 0; r < job.m(); ++r) {
      const size_t at = offset_of(i * kMostOutputs + r);
      job.parity[r] = block.data() + at;
      oracle.parity[r] = expected.data() + at;
    }
    const std::vector<Bytes> sums = ExpectedOf(operation(), oracle);
    for (size_t r = 0; r < job.m(); ++r) {
      std::copy(sums[r].begin(), sums[r].end(), oracle.parity[r]);
    }
    jobs.push_back(job);
  }
  operation().run(table(), jobs.data(), jobs.size(), HostTuning());
  EXPECT_EQ(block, expected);
}

TEST_P(Generate, TouchesNoMemoryForZeroBytesOrNoJobs) {
  Run(JobOf(3, 5));
  operation().run(table(), nullptr, 0, HostTuning());
}

INSTANTIATE_FOR_EVERY_OPERATION(Generate);

}  // namespace
}  // namespace parity::kernels
