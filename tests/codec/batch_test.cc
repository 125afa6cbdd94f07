#include "parity/codec/batch.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::codec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Job {
  std::vector<const uint8_t*> sources;
  std::vector<uint8_t*> dst;
  Coefficients coefficients;
  size_t bytes;

  friend bool operator==(const Job& a, const Job& b) {
    return a.sources == b.sources && a.dst == b.dst && a.coefficients == b.coefficients &&
           a.bytes == b.bytes;
  }
};

// A table that notes what it is given, call by call.
std::vector<std::vector<Job>> xor_calls;
std::vector<std::vector<Job>> gf_calls;

void NoteXor(const kernels::XorJob* jobs, size_t count) {
  xor_calls.emplace_back();
  for (const kernels::XorJob* job = jobs; job != jobs + count; ++job) {
    xor_calls.back().push_back({{job->src, job->src + job->k}, {job->dst}, {}, job->bytes});
  }
}

void NoteGfMatrix(const kernels::GfMatrixJob* jobs, size_t count) {
  gf_calls.emplace_back();
  for (const kernels::GfMatrixJob* job = jobs; job != jobs + count; ++job) {
    gf_calls.back().push_back({{job->src, job->src + job->k},
                               {job->dst, job->dst + job->m},
                               {job->coefficients, job->coefficients + job->k * job->m},
                               job->bytes});
  }
}

constexpr kernels::KernelTable kNotingTable = {"noting", 0, false, NoteXor, NoteGfMatrix};

std::shared_ptr<const Coefficients> Factors(Coefficients factors) {
  return std::make_shared<const Coefficients>(std::move(factors));
}

class BatchTest : public testing::Test {
 protected:
  BatchTest() {
    xor_calls.clear();
    gf_calls.clear();
  }

  uint8_t memory_[8] = {};
  Batch batch_{kNotingTable};
};

TEST_F(BatchTest, CallsNoKernelForNothing) {
  batch_.Run();
  EXPECT_THAT(xor_calls, IsEmpty());
  EXPECT_THAT(gf_calls, IsEmpty());
}

TEST_F(BatchTest, TakesOneOutputOfOnesForXor) {
  batch_.Add({memory_, memory_ + 1}, {memory_ + 2}, Factors({1, 1}), 7);
  batch_.Run();
  EXPECT_THAT(gf_calls, IsEmpty());
  const Job job = {{memory_, memory_ + 1}, {memory_ + 2}, {}, 7};
  EXPECT_THAT(xor_calls, ElementsAre(ElementsAre(job)));
}

TEST_F(BatchTest, TakesOtherFactorsOrMoreOutputsForAMatrix) {
  batch_.Add({memory_, memory_ + 1}, {memory_ + 2}, Factors({1, 2}), 1);
  batch_.Add({memory_}, {memory_ + 1, memory_ + 2}, Factors({1, 1}), 2);
  batch_.Run();
  EXPECT_THAT(xor_calls, IsEmpty());
  const Job other_factors = {{memory_, memory_ + 1}, {memory_ + 2}, {1, 2}, 1};
  const Job more_outputs = {{memory_}, {memory_ + 1, memory_ + 2}, {1, 1}, 2};
  EXPECT_THAT(gf_calls, ElementsAre(ElementsAre(other_factors, more_outputs)));
}

TEST_F(BatchTest, IsEmptyAfterARun) {
  batch_.Add({memory_}, {memory_ + 1}, Factors({1}), 1);
  batch_.Add({memory_}, {memory_ + 1}, Factors({3}), 1);
  batch_.Run();
  batch_.Run();
  EXPECT_EQ(xor_calls.size(), 1u);
  EXPECT_EQ(gf_calls.size(), 1u);
}

TEST_F(BatchTest, LetsGoOfItsCoefficientsAfterARun) {
  const auto factors = Factors({2});
  batch_.Add({memory_}, {memory_ + 1}, factors, 1);
  batch_.Add({memory_}, {memory_ + 1}, factors, 1);
  EXPECT_GT(factors.use_count(), 1);
  batch_.Run();
  EXPECT_EQ(factors.use_count(), 1);
}

// What callers pass are spans, gone when Add returns; the vectors behind a batch grow meanwhile.
TEST_F(BatchTest, RunsEveryOneOfManyJobsInOneCallForEachOperation) {
  constexpr size_t kJobs = 1000;
  std::vector<uint8_t> memory(3 * kJobs);
  std::vector<Job> xor_jobs;
  std::vector<Job> gf_jobs;
  for (size_t i = 0; i < kJobs; ++i) {
    uint8_t* at = memory.data() + 3 * i;
    const uint8_t factor = static_cast<uint8_t>(2 + i % 250);
    gf_jobs.push_back({{at, at + 1}, {at + 2}, {factor, 1}, i});
    xor_jobs.push_back({{at}, {at + 1}, {}, i});
    batch_.Add({at, at + 1}, {at + 2}, Factors({factor, 1}), i);
    batch_.Add({at}, {at + 1}, Factors({1}), i);
  }
  batch_.Run();
  EXPECT_THAT(gf_calls, ElementsAre(gf_jobs));
  EXPECT_THAT(xor_calls, ElementsAre(xor_jobs));
}

}  // namespace
}  // namespace parity::codec
