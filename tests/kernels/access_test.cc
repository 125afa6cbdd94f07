// Which memory the kernel templates access, and how often: they run with a vector type that keeps
// account.
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "counting_vector.h"
#include "gf_matrix_kernel.h"
#include "gtest/gtest.h"
#include "memory.h"
#include "operation.h"
#include "pq_kernel.h"
#include "tunings.h"
#include "xor_kernel.h"

namespace parity::kernels {
namespace {

// What happens to each byte of one block, of which only some runs may be accessed.
class Ledger {
 public:
  explicit Ledger(size_t bytes) : block_(Noise(bytes, 1)), entries_(bytes) {}

  uint8_t* block() { return block_.data(); }

  // Forgets all runs and accesses.
  void Reset() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    wrong_ = 0;
    misaligned_streams_ = 0;
    streams_since_fence_ = 0;
    runs_ = 0;
    CountAccesses::counts = {};
  }
  void Allow(const uint8_t* p, size_t bytes) {
    ++runs_;
    for (size_t i = 0; i < bytes; ++i) At(p + i).run = runs_;
  }

  // Accesses that were not inside one of the runs.
  size_t wrong() const { return wrong_; }
  size_t misaligned_streams() const { return misaligned_streams_; }
  size_t streams_since_fence() const { return streams_since_fence_; }
  size_t loads_of(const uint8_t* p) { return At(p).loads; }
  size_t stores_of(const uint8_t* p) { return At(p).stores; }

  void NoteLoad(const uint8_t* p, size_t bytes) {
    if (!IsInOneRun(p, bytes)) return;
    for (size_t i = 0; i < bytes; ++i) ++At(p + i).loads;
  }
  void NoteStore(const uint8_t* p, size_t bytes) {
    if (!IsInOneRun(p, bytes)) return;
    for (size_t i = 0; i < bytes; ++i) ++At(p + i).stores;
  }
  void NoteStream(const uint8_t* p, size_t bytes) {
    NoteStore(p, bytes);
    misaligned_streams_ += reinterpret_cast<uintptr_t>(p) % bytes != 0;
    ++streams_since_fence_;
  }
  void NoteFence() { streams_since_fence_ = 0; }

 private:
  struct Entry {
    uint16_t run = 0;  // 0: none
    uint16_t loads = 0;
    uint16_t stores = 0;
  };

  Entry& At(const uint8_t* p) { return entries_[static_cast<size_t>(p - block_.data())]; }
  bool IsInOneRun(const uint8_t* p, size_t bytes) {
    const bool inside = p >= block_.data() && p + bytes <= block_.data() + block_.size() &&
                        At(p).run != 0 && At(p).run == At(p + bytes - 1).run;
    wrong_ += !inside;
    return inside;
  }

  Bytes block_;
  std::vector<Entry> entries_;
  uint16_t runs_ = 0;
  size_t wrong_ = 0;
  size_t misaligned_streams_ = 0;
  size_t streams_since_fence_ = 0;
};

struct KeepAccount : CountAccesses {
  static inline Ledger* ledger = nullptr;

  static void Load(const uint8_t* p, size_t bytes) {
    CountAccesses::Load(p, bytes);
    ledger->NoteLoad(p, bytes);
  }
  static void Store(const uint8_t* p, size_t bytes) {
    CountAccesses::Store(p, bytes);
    ledger->NoteStore(p, bytes);
  }
  static void Stream(const uint8_t* p, size_t bytes) {
    CountAccesses::Stream(p, bytes);
    ledger->NoteStream(p, bytes);
  }
  static void Fence() {
    CountAccesses::Fence();
    ledger->NoteFence();
  }
};

template <size_t kWidth, int kSources>
constexpr KernelTable TableOf(const char* name) {
  using Vector = CountingVector<kWidth, KeepAccount, kSources>;
  return {name,
          0,
          kWidth,
          XorGenerate<Vector>,
          PqGenerate<Vector>,
          GfMatrix<Vector>,
          GfMatrixAdd<Vector>,
          XorCompare<Vector>,
          PqCompare<Vector>,
          GfCompare<Vector>};
}

// As an ISA with 512-bit registers, one with 256 bits that takes one source at a time, and one
// without vectors.
constexpr KernelTable kTables[] = {
    TableOf<64, 2>("bytes64"),
    TableOf<32, 1>("bytes32"),
    TableOf<8, 1>("bytes8"),
};

constexpr size_t kSources = 3;
constexpr size_t kOutputs = 2;
constexpr size_t kMostRuns = 2 * kSources + kOutputs;
constexpr size_t kStride = 4352;  // a multiple of 64, with room for a run of 4 KiB in any place

// How far the runs are from a cache line: outputs, then sources.
using Residues = std::vector<size_t>;

Residues AllAt(size_t residue) { return Residues(kMostRuns, residue); }

// A job in a ledger's block.
class Account {
 public:
  Account() : ledger_((kMostRuns + 1) * kStride) { KeepAccount::ledger = &ledger_; }
  ~Account() { KeepAccount::ledger = nullptr; }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // Places the job's runs, of which it accesses nothing yet.
  void Open(Job& job, size_t bytes, const Residues& residues) {
    uint8_t* const start = ledger_.block() + ToCacheLine(ledger_.block());
    job.bytes = bytes;
    ledger_.Reset();
    for (size_t j = 0; j < job.k(); ++j) {
      job.sources[j] = start + (kOutputs + j) * kStride + residues[kOutputs + j];
      ledger_.Allow(job.sources[j], bytes);
    }
    for (size_t r = 0; r < job.m(); ++r) {
      job.parity[r] = start + r * kStride + residues[r];
      ledger_.Allow(job.parity[r], bytes);
    }
  }

  Ledger& ledger() { return ledger_; }

 private:
  Ledger ledger_;
};

const Residues kResidues[] = {AllAt(0),
                              AllAt(1),
                              AllAt(32),
                              AllAt(63),
                              {5, 5, 0, 0, 0, 0, 0, 0},
                              {33, 12, 7, 40, 16, 1, 2, 3}};

// Each way in turn, as all for every length would take long.
const Tuning* WayFor(size_t bytes) {
  constexpr const Tuning* kWays[] = {&kPlain, &kAlignAny, &kStream};
  return kWays[bytes % 3];
}

// Shorter runs than the narrowest vector are not accessed by vectors.
std::vector<size_t> Lengths(size_t vector_bytes) {
  std::vector<size_t> lengths;
  for (size_t bytes = std::min<size_t>(vector_bytes, 16); bytes <= 420; ++bytes)
    lengths.push_back(bytes);
  for (size_t bytes = 421; bytes <= 1200; bytes += 7) lengths.push_back(bytes);
  lengths.push_back(4096);
  lengths.push_back(4097);
  return lengths;
}

class Accesses : public testing::TestWithParam<std::tuple<KernelTable, Operation>> {
 protected:
  const KernelTable& table() const { return std::get<0>(GetParam()); }
  size_t vector_bytes() const { return table().vector_bytes; }
  const Operation& operation() const { return std::get<1>(GetParam()); }

  AccessCounts Run(const Job& job, const Tuning& tuning) const {
    operation().run(table(), &job, 1, tuning);
    return CountAccesses::counts;
  }

  // The smallest number of vectors that cover a run.
  size_t Vectors(size_t bytes) const { return (bytes + vector_bytes() - 1) / vector_bytes(); }
};

TEST_P(Accesses, AreToEveryByteOfTheRunsAndToNoOther) {
  Account account;
  Ledger& ledger = account.ledger();
  Job job = JobFor(operation(), kSources, kOutputs);
  for (const Residues& residues : kResidues) {
    for (const size_t bytes : Lengths(vector_bytes())) {
      const Tuning* const tuning = WayFor(bytes);
      account.Open(job, bytes, residues);
      const std::vector<Bytes> expected = ExpectedOf(operation(), job);
      Run(job, *tuning);
      ASSERT_EQ(ledger.wrong(), 0u) << bytes << " bytes, " << tuning->measured_on;
      // A byte that two vectors share is accessed by both, and never by a third.
      for (const uint8_t* source : job.sources) {
        for (size_t i = 0; i < bytes; ++i) {
          const size_t loads = ledger.loads_of(source + i);
          ASSERT_TRUE(loads == 1 || loads == 2) << i << " of " << bytes;
        }
      }
      for (size_t r = 0; r < job.m(); ++r) {
        for (size_t i = 0; i < bytes; ++i) {
          const size_t stores = ledger.stores_of(job.parity[r] + i);
          ASSERT_TRUE(stores == 1 || stores == 2) << i << " of " << bytes;
          ASSERT_EQ(ledger.loads_of(job.parity[r] + i), operation().adds ? stores : 0)
              << i << " of " << bytes;
        }
        ASSERT_TRUE(std::equal(expected[r].begin(), expected[r].end(), job.parity[r])) << bytes;
      }
    }
  }
}

TEST_P(Accesses, AreHardlyMoreThanTheVectorsOfARun) {
  Account account;
  Job job = JobFor(operation(), kSources, kOutputs);
  const size_t runs_loaded = job.k() + (operation().adds ? job.m() : 0);
  for (const Residues& residues : {AllAt(0), AllAt(1)}) {
    for (const size_t bytes : Lengths(vector_bytes())) {
      const Tuning* const tuning = WayFor(bytes);
      account.Open(job, bytes, residues);
      const AccessCounts counts = Run(job, *tuning);
      // What is shorter than a vector takes two of the next smaller width at most; aligning one
      // vector more.
      const size_t most = Vectors(bytes) + 1;
      ASSERT_LE(counts.loads, runs_loaded * most) << bytes << " bytes, " << tuning->measured_on;
      ASSERT_LE(counts.stores, job.m() * most) << bytes << " bytes, " << tuning->measured_on;
      // Whole vectors that stay where they are take no more than there are.
      if (bytes % vector_bytes() == 0) {
        account.Open(job, bytes, residues);
        const AccessCounts plain = Run(job, kPlain);
        ASSERT_EQ(plain.loads, runs_loaded * Vectors(bytes)) << bytes;
        ASSERT_EQ(plain.stores, job.m() * Vectors(bytes)) << bytes;
      }
    }
  }
}

TEST_P(Accesses, OfAlignedRunsNeverCrossACacheLine) {
  Account account;
  Job job = JobFor(operation(), kSources, kOutputs);
  for (const size_t bytes : {512, 1024, 4096}) {
    for (const Tuning* tuning : kTunings) {
      account.Open(job, bytes, AllAt(0));
      EXPECT_EQ(Run(job, *tuning).crossing(), 0u) << bytes << " bytes, " << tuning->measured_on;
    }
  }
}

// With vectors of a whole cache line, every access: what aligning is for.
TEST_P(Accesses, OfEquallyMisalignedRunsCrossOnlyAtTheEndsOnceAligned) {
  constexpr size_t kBytes = 4096;
  Account account;
  Job job = JobFor(operation(), kSources, kOutputs);
  for (const size_t residue : {1, 32, 37}) {
    // 32 bytes are a whole number of narrower vectors.
    if (residue % vector_bytes() == 0) continue;
    account.Open(job, kBytes, AllAt(residue));
    const AccessCounts plain = Run(job, kPlain);
    // One vector in every cache line but the last, which the run does not fill.
    EXPECT_EQ(plain.crossing() * kCacheLineBytes, plain.accesses() * vector_bytes()) << residue;

    const size_t runs = job.k() + job.m() + (operation().adds ? job.m() : 0);
    for (const Tuning* tuning : {&kAlignAll, &kAlignAny}) {
      account.Open(job, kBytes, AllAt(residue));
      const AccessCounts aligned = Run(job, *tuning);
      EXPECT_LE(aligned.crossing(), 2 * runs) << residue << ", " << tuning->measured_on;
      EXPECT_LE(aligned.accesses(), plain.accesses() + runs);
    }
  }
}

TEST_P(Accesses, OfUnequallyMisalignedRunsCrossOnlyInLoadsOnceAligned) {
  constexpr size_t kBytes = 4096;
  const Residues residues = {33, 33, 7, 41, 18, 5, 60, 1};
  Account account;
  Job job = JobFor(operation(), kSources, kOutputs);
  account.Open(job, kBytes, residues);
  const AccessCounts plain = Run(job, kPlain);
  EXPECT_EQ(plain.crossing_stores * kCacheLineBytes, plain.stores * vector_bytes());

  // There is no place where all are aligned.
  account.Open(job, kBytes, residues);
  EXPECT_EQ(Run(job, kAlignAll).crossing(), plain.crossing());

  account.Open(job, kBytes, residues);
  const AccessCounts aligned = Run(job, kAlignAny);
  EXPECT_LE(aligned.crossing_stores, 2 * job.m());
  EXPECT_LE(aligned.crossing_loads, plain.crossing_loads + job.k());
  EXPECT_LT(aligned.crossing(), plain.crossing());
}

TEST_P(Accesses, AreAlignedAndFencedWhereTheyStream) {
  Account account;
  Ledger& ledger = account.ledger();
  Job job = JobFor(operation(), kSources, kOutputs);
  for (const Residues& residues : {AllAt(0), AllAt(1), AllAt(40), {33, 33, 7, 40, 16, 1, 2, 3}}) {
    for (const size_t bytes : {200, 500, 4000, 4097}) {
      account.Open(job, bytes, residues);
      const AccessCounts counts = Run(job, kStream);
      EXPECT_EQ(ledger.misaligned_streams(), 0u) << bytes;
      EXPECT_EQ(ledger.streams_since_fence(), 0u) << bytes;
      EXPECT_LE(counts.fences, 1u) << bytes;
      if (operation().adds) {
        EXPECT_EQ(counts.streams, 0u) << "it has just read what it writes";
      } else if (bytes >= 4000) {
        // All but the two ends, of at most the lines of a step.
        EXPECT_GE(counts.streams + job.m() * 11, counts.stores) << bytes;
      }

      account.Open(job, bytes, residues);
      const AccessCounts plain = Run(job, kPlain);
      EXPECT_EQ(plain.streams, 0u) << bytes;
      EXPECT_EQ(plain.fences, 0u) << bytes;
    }
  }
}

TEST_P(Accesses, OfABatchAreFencedAndCleanedUpOnce) {
  Account account;
  Job job = JobFor(operation(), kSources, kOutputs);
  account.Open(job, 1000, AllAt(0));
  const std::vector<Job> jobs(5, job);
  operation().run(table(), jobs.data(), jobs.size(), kStream);
  EXPECT_EQ(CountAccesses::counts.fences, operation().adds ? 0u : 1u);
  EXPECT_EQ(CountAccesses::counts.clears, 1u);
}

template <class Entry>
std::string NameOf(const testing::TestParamInfo<std::tuple<KernelTable, Entry>>& info) {
  return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
}

// Where a second walk over the sources costs less than a split load of each.
TEST_P(Accesses, OfManyAlignedSourcesNeverCrossInAShortRun) {
  constexpr size_t kMany = 24;
  Job job = JobFor(operation(), kMany, kOutputs);
  Ledger ledger((job.k() + job.m() + 1) * 128);
  KeepAccount::ledger = &ledger;
  const std::vector<uint8_t*> runs =
      RunsIn(ledger.block() + ToCacheLine(ledger.block()), job.k() + job.m(), 128, 0);
  std::copy_n(runs.begin(), job.m(), job.parity.begin());
  std::copy_n(runs.begin() + static_cast<ptrdiff_t>(job.m()), job.k(), job.sources.begin());
  for (job.bytes = kCacheLineBytes + 16; job.bytes <= 128; ++job.bytes) {
    ledger.Reset();
    for (const uint8_t* run : runs) ledger.Allow(run, job.bytes);
    const AccessCounts counts = Run(job, kPlain);
    EXPECT_EQ(ledger.wrong(), 0u) << job.bytes;
    if (vector_bytes() == kCacheLineBytes) {
      EXPECT_EQ(counts.crossing_loads, 0u) << job.bytes;
    }
  }
  KeepAccount::ledger = nullptr;
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, Accesses,
                         testing::Combine(testing::ValuesIn(kTables),
                                          testing::ValuesIn(kOperations)),
                         NameOf<Operation>);

class ComparingAccesses : public testing::TestWithParam<std::tuple<KernelTable, Comparison>> {
 protected:
  const KernelTable& table() const { return std::get<0>(GetParam()); }
  size_t vector_bytes() const { return table().vector_bytes; }
  const Comparison& comparison() const { return std::get<1>(GetParam()); }
};

TEST_P(ComparingAccesses, AreLoadsOfEveryByteOfTheRunsAndOfNoOther) {
  Account account;
  Ledger& ledger = account.ledger();
  Job job = JobFor(comparison().code, kSources, kOutputs);
  for (const Residues& residues : kResidues) {
    for (const size_t bytes : Lengths(vector_bytes())) {
      account.Open(job, bytes, residues);
      const std::vector<Bytes> sums = SumsOf(job);
      for (size_t r = 0; r < job.m(); ++r) {
        std::copy(sums[r].begin(), sums[r].end(), job.parity[r]);
      }
      std::vector<size_t> found(job.m());
      comparison().run(table(), &job, 1, &found);
      ASSERT_EQ(found, std::vector<size_t>(job.m(), bytes));
      ASSERT_EQ(ledger.wrong(), 0u) << bytes;
      const AccessCounts counts = CountAccesses::counts;
      ASSERT_EQ(counts.stores, 0u);
      ASSERT_EQ(counts.clears, 1u);
      const size_t vectors = (bytes + vector_bytes() - 1) / vector_bytes();
      ASSERT_LE(counts.loads, (job.k() + job.m()) * (vectors + 1)) << bytes;
      const auto expect_loads = [&](const uint8_t* run) {
        for (size_t i = 0; i < bytes; ++i) {
          const size_t loads = ledger.loads_of(run + i);
          ASSERT_TRUE(loads == 1 || loads == 2) << i << " of " << bytes;
        }
      };
      for (const uint8_t* source : job.sources) expect_loads(source);
      for (const uint8_t* parity : job.parity) expect_loads(parity);
      ASSERT_FALSE(HasFailure());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, ComparingAccesses,
                         testing::Combine(testing::ValuesIn(kTables),
                                          testing::ValuesIn(kComparisons)),
                         NameOf<Comparison>);

}  // namespace
}  // namespace parity::kernels
