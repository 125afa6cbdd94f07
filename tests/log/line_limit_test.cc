// How many lines pass.
#include "parity/log/line_limit.h"

#include <optional>

#include "gtest/gtest.h"

namespace parity::testing {
namespace {

using std::chrono::milliseconds;

TEST(LineLimit, LetsSoManyPassEachSecondAndCountsTheRest) {
  log::LineLimit limit(2);
  const log::LineLimit::Clock::time_point start(milliseconds(5'000));
  EXPECT_EQ(limit.Pass(start), 0u);
  EXPECT_EQ(limit.Pass(start), 0u);
  EXPECT_EQ(limit.Pass(start), std::nullopt);
  EXPECT_EQ(limit.Pass(start + milliseconds(999)), std::nullopt);
  EXPECT_EQ(limit.Pass(start + milliseconds(1'000)), 2u);
  EXPECT_EQ(limit.Pass(start + milliseconds(1'001)), 0u);
  EXPECT_EQ(limit.Pass(start + milliseconds(1'002)), std::nullopt);
}

}  // namespace
}  // namespace parity::testing
