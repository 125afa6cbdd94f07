// What holds for every operation that compares parity: exactly the lowest difference of each
// parity, and nothing is written.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "every_table.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"

namespace parity::kernels {
namespace {

constexpr size_t kLongest = 4097;
constexpr size_t kSources = 3;
constexpr size_t kParities = 2;

// A job whose parity is consistent, and the memory that it names.
class Consistent {
 public:
  // The first run is aligned to a cache line, the others are `skew` bytes out of step.
  Consistent(const Job& shape, size_t bytes, size_t skew) : job_(shape) {
    block_ = Noise(64 + (job_.k() + job_.m()) * (bytes + skew), static_cast<uint32_t>(bytes + 1));
    runs_ = RunsIn(block_.data() + ToCacheLine(block_.data()), job_.k() + job_.m(), bytes, skew);
    std::copy_n(runs_.begin(), job_.k(), job_.sources.begin());
    std::copy_n(runs_.begin() + static_cast<ptrdiff_t>(job_.k()), job_.m(), job_.parity.begin());
    job_.bytes = bytes;
    const std::vector<Bytes> sums = SumsOf(job_);
    for (size_t r = 0; r < job_.m(); ++r) {
      std::copy(sums[r].begin(), sums[r].end(), job_.parity[r]);
    }
  }
  Consistent(const Consistent&) = delete;
  Consistent& operator=(const Consistent&) = delete;

  Job& job() { return job_; }
  uint8_t* source(size_t j) { return runs_[j]; }

 private:
  Job job_;
  Bytes block_;
  std::vector<uint8_t*> runs_;
};

class Compare : public ComparisonTest {
 protected:
  using Offsets = std::vector<size_t>;
};

TEST_P(Compare, FindsNothingInConsistentParityOfAnyLength) {
  for (const size_t k : {1, 2, 3, 8}) {
    Consistent stripe(JobOf(k, kParities), kLongest, 3);
    Job& job = stripe.job();
    for (job.bytes = 0; job.bytes <= kLongest; ++job.bytes) {
      ASSERT_EQ(FoundIn(job), Offsets(job.m(), job.bytes)) << k << " sources";
    }
  }
}

TEST_P(Compare, FindsAFlippedBitAtEveryOffset) {
  constexpr size_t kMost = 700;
  Consistent stripe(JobOf(kSources, kParities), kMost, 3);
  Job& job = stripe.job();
  for (size_t bytes = 1; bytes <= kMost; bytes += bytes < 140 ? 1 : 37) {
    job.bytes = bytes;
    for (size_t at = 0; at < bytes; ++at) {
      const size_t flipped = (at + bytes) % job.m();
      const uint8_t bit = static_cast<uint8_t>(1 << (at % 8));
      job.parity[flipped][at] ^= bit;
      Offsets expected(job.m(), bytes);
      expected[flipped] = at;
      ASSERT_EQ(FoundIn(job), expected) << at << " of " << bytes;
      job.parity[flipped][at] ^= bit;
    }
  }
}

TEST_P(Compare, SeesNothingBeyondTheEnd) {
  Consistent stripe(JobOf(kSources, kParities), 1000, 3);
  Job& job = stripe.job();
  for (job.bytes = 0; job.bytes < 1000; ++job.bytes) {
    for (uint8_t* parity : job.parity) parity[job.bytes] ^= 1;
    ASSERT_EQ(FoundIn(job), Offsets(job.m(), job.bytes));
    for (uint8_t* parity : job.parity) parity[job.bytes] ^= 1;
  }
}

TEST_P(Compare, FindsTheLowestOfSeveralDifferences) {
  std::mt19937 random(2);
  for (const size_t longest : {size_t{60}, size_t{700}, size_t{20000}}) {
    Consistent stripe(JobOf(kSources, 6), longest, 3);
    Job& job = stripe.job();
    for (int round = 0; round < 300; ++round) {
      job.bytes = 1 + random() % longest;
      Offsets expected(job.m(), job.bytes);
      std::vector<uint8_t*> flipped;
      for (size_t r = 0; r < job.m(); ++r) {
        for (size_t n = random() % 4; n > 0; --n) {
          const size_t at = random() % job.bytes;
          uint8_t* const byte = job.parity[r] + at;
          if (std::find(flipped.begin(), flipped.end(), byte) != flipped.end()) continue;
          *byte ^= 0x80;
          flipped.push_back(byte);
          expected[r] = std::min(expected[r], at);
        }
      }
      ASSERT_EQ(FoundIn(job), expected) << job.bytes;
      for (uint8_t* byte : flipped) *byte ^= 0x80;
    }
  }
}

TEST_P(Compare, FindsADifferenceOfASourceInEveryParity) {
  std::mt19937 random(3);
  Job shape = JobOf(5, 7);
  // A factor of 0 would hide it.
  for (GfFactor& factor : shape.factors) {
    if (factor.coefficient == 0) factor = FactorOf(1);
  }
  Consistent stripe(shape, 3000, 3);
  Job& job = stripe.job();
  for (int round = 0; round < 500; ++round) {
    job.bytes = 1 + random() % 3000;
    const size_t at = random() % job.bytes;
    uint8_t* const byte = stripe.source(random() % job.k()) + at;
    *byte ^= 4;
    ASSERT_EQ(FoundIn(job), Offsets(job.m(), at)) << job.bytes;
    *byte ^= 4;
  }
}

TEST_P(Compare, TakesAnyNumberOfSources) {
  for (size_t k = 1; k <= kMaxGfShards; k += k < 40 ? 1 : 43) {
    for (const size_t bytes : {7, 100, 600}) {
      Consistent stripe(JobOf(k, kParities), bytes, 7);
      Job& job = stripe.job();
      ASSERT_EQ(FoundIn(job), Offsets(job.m(), bytes)) << k;
      job.parity.back()[bytes - 2] ^= 1;
      Offsets expected(job.m(), bytes);
      expected.back() = bytes - 2;
      ASSERT_EQ(FoundIn(job), expected) << k;
    }
  }
}

TEST_P(Compare, TakesAnyNumberOfParities) {
  for (const size_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 100, 255}) {
    Consistent stripe(JobOf(kSources, m), 200, 7);
    Job& job = stripe.job();
    for (size_t r = 0; r < job.m(); ++r) {
      job.parity[r][r % 200] ^= 1;
      Offsets expected(job.m(), job.bytes);
      expected[r] = r % 200;
      ASSERT_EQ(FoundIn(job), expected) << m;
      job.parity[r][r % 200] ^= 1;
    }
  }
}

TEST_P(Compare, TakesAnyAlignment) {
  constexpr size_t kStride = 4416;
  constexpr size_t kMost = 4200;
  Job job = JobOf(kSources, kParities);
  Bytes noise = Noise(kSources * kStride + 128, 5);
  Bytes block(kParities * kStride + 192);
  Job all = job;
  all.sources =
      RunsIn<const uint8_t>(noise.data() + ToCacheLine(noise.data()), kSources, kStride, 0);
  all.bytes = kMost + 63;
  // As all sources move together, so do their sums.
  const std::vector<Bytes> sums = SumsOf(all);
  for (const size_t bytes : {size_t{70}, size_t{300}, kMost}) {
    job.bytes = bytes;
    for (size_t residue = 0; residue < 64; ++residue) {
      for (size_t r = 0; r < job.m(); ++r) {
        job.parity[r] = block.data() + ToCacheLine(block.data()) + r * kStride +
                        (r == 0 ? residue : 63 - residue);
      }
      for (size_t source_residue = 0; source_residue < 64; source_residue += 3) {
        for (size_t j = 0; j < kSources; ++j) job.sources[j] = all.sources[j] + source_residue;
        for (size_t r = 0; r < job.m(); ++r) {
          std::copy_n(sums[r].data() + source_residue, bytes, job.parity[r]);
        }
        ASSERT_EQ(FoundIn(job), Offsets(job.m(), bytes)) << residue << " with " << source_residue;
      }
    }
  }
}

TEST_P(Compare, StaysInsideItsRunsAndWritesNothing) {
  constexpr size_t kPages = 4200;
  Job job = JobOf(kSources, kParities);
  std::vector<std::unique_ptr<GuardedPages>> pages;
  for (size_t i = 0; i < kSources + job.m(); ++i) {
    pages.push_back(std::make_unique<GuardedPages>(kPages, static_cast<uint32_t>(i)));
  }
  const auto place = [&](size_t bytes, bool at_end) {
    job.bytes = bytes;
    std::vector<uint8_t*> runs;
    for (const auto& run : pages) runs.push_back(at_end ? run->end() - bytes : run->start());
    std::copy_n(runs.begin(), kSources, job.sources.begin());
    std::copy_n(runs.begin() + kSources, job.m(), job.parity.begin());
  };
  place(pages[0]->bytes(), false);
  const std::vector<Bytes> sums = SumsOf(job);
  // The last byte differs, which a comparison that stores its differences would show.
  for (size_t r = 0; r < job.m(); ++r) {
    std::copy(sums[r].begin(), sums[r].end(), job.parity[r]);
    job.parity[r][job.bytes - 1] ^= 1;
  }
  for (const auto& run : pages) run->MakeReadOnly();

  std::vector<size_t> lengths;
  for (size_t bytes = 1; bytes <= 600; ++bytes) lengths.push_back(bytes);
  for (size_t bytes = 4090; bytes <= kPages; ++bytes) lengths.push_back(bytes);
  for (const size_t bytes : lengths) {
    place(bytes, false);
    ASSERT_EQ(FoundIn(job), Offsets(job.m(), bytes));
    place(bytes, true);
    ASSERT_EQ(FoundIn(job), Offsets(job.m(), bytes - 1));
  }
}

TEST_P(Compare, KeepsTheJobsOfABatchApart) {
  std::mt19937 random(4);
  std::vector<std::unique_ptr<Consistent>> stripes;
  std::vector<Job> jobs;
  std::vector<Offsets> expected;
  for (size_t i = 0; i < 100; ++i) {
    const size_t bytes = random() % 400;
    const Job shape = JobOf(1 + random() % 12, 1 + random() % 6);
    stripes.push_back(std::make_unique<Consistent>(shape, bytes, 1));
    Job& job = stripes.back()->job();
    expected.emplace_back(job.m(), bytes);
    if (bytes != 0 && i % 2 == 0) {
      const size_t at = random() % bytes;
      job.parity.back()[at] ^= 1;
      expected.back().back() = at;
    }
    jobs.push_back(job);
  }
  std::vector<Offsets> found;
  for (const Job& job : jobs) found.emplace_back(job.m(), 12345);
  comparison().run(table(), jobs.data(), jobs.size(), found.data());
  EXPECT_EQ(found, expected);
}

TEST_P(Compare, TouchesNoMemoryForZeroBytesOrNoJobs) {
  const Job job = JobOf(3, 5);
  EXPECT_EQ(FoundIn(job), Offsets(job.m(), 0));
  comparison().run(table(), nullptr, 0, nullptr);
}

INSTANTIATE_FOR_EVERY_COMPARISON(Compare);

}  // namespace
}  // namespace parity::kernels
