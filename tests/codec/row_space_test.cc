#include "row_space.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "arithmetic.h"
#include "definition.h"
#include "gtest/gtest.h"

namespace parity::codec {
namespace {

// Of few values, so that rows often depend on each other.
Row RandomRow(size_t columns, std::mt19937& random) {
  Row row(columns);
  for (uint8_t& element : row) element = static_cast<uint8_t>(random() % 3);
  return row;
}

TEST(RowSpace, AddsWhatIsIndependentAlone) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const size_t columns = 1 + random() % 6;
    RowSpace space(columns);
    Rows added;
    for (int i = 0; i < 10; ++i) {
      const Row row = RandomRow(columns, random);
      added.push_back(row);
      const bool is_independent = Rank(added) == added.size();
      ASSERT_EQ(space.Add(row), is_independent);
      if (!is_independent) added.pop_back();
      ASSERT_EQ(space.rank(), added.size());
    }
  }
}

TEST(RowSpace, ExpressesWhatIsInIt) {
  std::mt19937 random(2);
  size_t expressed = 0;
  size_t outside = 0;
  for (int round = 0; round < 2000; ++round) {
    const size_t columns = 1 + random() % 6;
    RowSpace space(columns);
    Rows added;
    for (size_t i = random() % 6; i > 0; --i) {
      const Row row = RandomRow(columns, random);
      if (space.Add(row)) added.push_back(row);
    }
    const Row row = RandomRow(columns, random);
    const auto factors = space.Express(row);
    Rows with_row = added;
    with_row.push_back(row);
    ASSERT_EQ(factors.has_value(), Rank(with_row) == added.size());
    if (!factors.has_value()) {
      ++outside;
      continue;
    }
    ++expressed;
    ASSERT_EQ(factors->size(), added.size());
    Row sum(columns);
    for (size_t i = 0; i < added.size(); ++i) {
      for (size_t c = 0; c < columns; ++c) sum[c] ^= Product((*factors)[i], added[i][c]);
    }
    ASSERT_EQ(sum, row);
  }
  EXPECT_GT(expressed, 200u);
  EXPECT_GT(outside, 200u);
}

TEST(RowSpace, MayHaveNoColumns) {
  RowSpace space(0);
  EXPECT_FALSE(space.Add({}));
  EXPECT_EQ(space.rank(), 0u);
  EXPECT_TRUE(space.Express({}).has_value());
}

TEST(Inverse, IsThatOfEveryElement) {
  EXPECT_EQ(Inverse(0), 0);
  for (int a = 1; a < 256; ++a) {
    EXPECT_EQ(Multiply(static_cast<uint8_t>(a), Inverse(static_cast<uint8_t>(a))), 1);
  }
}

}  // namespace
}  // namespace parity::codec
