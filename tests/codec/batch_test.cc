#include "parity/codec/batch.h"

#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "noting_table.h"

namespace parity::codec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const Factors> OneOutput(const std::vector<uint8_t>& factors) {
  const size_t sources = factors.size();
  return std::make_shared<const Factors>(sources, 1, factors);
}

std::shared_ptr<const Factors> TwoOutputs(const std::vector<uint8_t>& factors) {
  const size_t sources = factors.size() / 2;
  return std::make_shared<const Factors>(sources, 2, factors);
}

class BatchTest : public testing::Test {
 protected:
  void ExpectNoCallsBut(const std::vector<NotedJobs>* expected) {
    for (const auto* calls :
         {&noted_.xor_generate, &noted_.pq_generate, &noted_.gf_matrix, &noted_.gf_matrix_add}) {
      if (calls != expected) {
        EXPECT_THAT(*calls, IsEmpty());
      }
    }
  }

  NotedCalls& noted_ = ForgetNotedCalls();
  uint8_t memory_[8] = {};
  Batch batch_{kNotingTable};
};

TEST_F(BatchTest, CallsNoKernelForNothing) {
  batch_.Run();
  ExpectNoCallsBut(nullptr);
}

TEST_F(BatchTest, TakesOneOutputOfOnesForXor) {
  batch_.Generate({memory_, memory_ + 1}, {memory_ + 2}, OneOutput({1, 1}), 7);
  batch_.Run();
  const NotedJob job = {{memory_, memory_ + 1}, {memory_ + 2}, {}, 7};
  EXPECT_THAT(noted_.xor_generate, ElementsAre(ElementsAre(job)));
  ExpectNoCallsBut(&noted_.xor_generate);
}

TEST_F(BatchTest, TakesPowersOf2ForPq) {
  batch_.Generate({memory_, memory_ + 1}, {memory_ + 2, memory_ + 3}, TwoOutputs({1, 1, 1, 2}), 7);
  batch_.Run();
  const NotedJob job = {{memory_, memory_ + 1}, {memory_ + 2, memory_ + 3}, {}, 7};
  EXPECT_THAT(noted_.pq_generate, ElementsAre(ElementsAre(job)));
  ExpectNoCallsBut(&noted_.pq_generate);
}

TEST_F(BatchTest, TakesOtherFactorsOrOutputsForAMatrix) {
  batch_.Generate({memory_, memory_ + 1}, {memory_ + 2}, OneOutput({1, 2}), 1);
  batch_.Generate({memory_}, {memory_ + 1, memory_ + 2}, TwoOutputs({1, 3}), 2);
  batch_.Run();
  const NotedJob other_factors = {{memory_, memory_ + 1}, {memory_ + 2}, {1, 2}, 1};
  const NotedJob more_outputs = {{memory_}, {memory_ + 1, memory_ + 2}, {1, 3}, 2};
  EXPECT_THAT(noted_.gf_matrix, ElementsAre(ElementsAre(other_factors, more_outputs)));
  ExpectNoCallsBut(&noted_.gf_matrix);
}

TEST_F(BatchTest, UpdatesByAMatrix) {
  batch_.Update({memory_, memory_ + 1}, {memory_ + 2, memory_ + 3}, {memory_ + 4, memory_ + 5},
                TwoOutputs({1, 1, 1, 2}), 5);
  batch_.Update({memory_}, {memory_ + 1}, {memory_ + 6}, OneOutput({9}), 6);
  batch_.Run();
  const NotedJob two = {{memory_ + 2, memory_ + 3},
                        {memory_ + 4, memory_ + 5},
                        {1, 1, 1, 2},
                        5,
                        {memory_, memory_ + 1}};
  const NotedJob one = {{memory_ + 1}, {memory_ + 6}, {9}, 6, {memory_}};
  EXPECT_THAT(noted_.gf_matrix_add, ElementsAre(ElementsAre(two, one)));
  ExpectNoCallsBut(&noted_.gf_matrix_add);
}

TEST_F(BatchTest, UpdatesByXorWithTheOutputItselfIfAllFactorsAre1) {
  batch_.Update({memory_}, {memory_ + 1}, {memory_ + 2}, OneOutput({1}), 5);
  batch_.Generate({memory_ + 3}, {memory_ + 4}, OneOutput({1}), 6);
  batch_.Run();
  const NotedJob updated = {{memory_, memory_ + 1, memory_ + 2}, {memory_ + 2}, {}, 5};
  const NotedJob generated = {{memory_ + 3}, {memory_ + 4}, {}, 6};
  EXPECT_THAT(noted_.xor_generate, ElementsAre(ElementsAre(updated, generated)));
  ExpectNoCallsBut(&noted_.xor_generate);
}

TEST_F(BatchTest, IsEmptyAfterARun) {
  batch_.Generate({memory_}, {memory_ + 1}, OneOutput({1}), 1);
  batch_.Generate({memory_}, {memory_ + 1}, OneOutput({3}), 1);
  batch_.Generate({memory_}, {memory_ + 1, memory_ + 2}, TwoOutputs({1, 1}), 1);
  batch_.Update({memory_}, {memory_ + 1}, {memory_ + 2}, OneOutput({3}), 1);
  batch_.Run();
  batch_.Run();
  EXPECT_EQ(noted_.xor_generate.size(), 1u);
  EXPECT_EQ(noted_.pq_generate.size(), 1u);
  EXPECT_EQ(noted_.gf_matrix.size(), 1u);
  EXPECT_EQ(noted_.gf_matrix_add.size(), 1u);
}

TEST_F(BatchTest, LetsGoOfItsFactorsAfterARun) {
  const auto factors = OneOutput({2});
  batch_.Generate({memory_}, {memory_ + 1}, factors, 1);
  batch_.Generate({memory_}, {memory_ + 1}, factors, 1);
  EXPECT_GT(factors.use_count(), 1);
  batch_.Run();
  EXPECT_EQ(factors.use_count(), 1);
}

// What callers pass are spans, gone when the call returns; the vectors behind a batch grow
// meanwhile.
TEST_F(BatchTest, RunsEveryOneOfManyJobsInOneCallForEachOperation) {
  constexpr size_t kJobs = 1000;
  std::vector<uint8_t> memory(3 * kJobs);
  NotedCalls expected{{{}}, {{}}, {{}}, {{}}, {}};
  for (size_t i = 0; i < kJobs; ++i) {
    uint8_t* at = memory.data() + 3 * i;
    const uint8_t factor = static_cast<uint8_t>(2 + i % 250);
    batch_.Generate({at, at + 1}, {at + 2}, OneOutput({factor, 1}), i);
    batch_.Generate({at}, {at + 1, at + 2}, TwoOutputs({1, 1}), i);
    batch_.Generate({at}, {at + 1}, OneOutput({1}), i);
    batch_.Update({at}, {at + 1}, {at + 2}, OneOutput({factor}), i);
    expected.gf_matrix[0].push_back({{at, at + 1}, {at + 2}, {factor, 1}, i});
    expected.pq_generate[0].push_back({{at}, {at + 1, at + 2}, {}, i});
    expected.xor_generate[0].push_back({{at}, {at + 1}, {}, i});
    expected.gf_matrix_add[0].push_back({{at + 1}, {at + 2}, {factor}, i, {at}});
  }
  batch_.Run();
  EXPECT_EQ(noted_.xor_generate, expected.xor_generate);
  EXPECT_EQ(noted_.pq_generate, expected.pq_generate);
  EXPECT_EQ(noted_.gf_matrix, expected.gf_matrix);
  EXPECT_EQ(noted_.gf_matrix_add, expected.gf_matrix_add);
}

}  // namespace
}  // namespace parity::codec
