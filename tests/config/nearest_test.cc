#include "parity/config/nearest.h"

#include "gtest/gtest.h"

namespace parity::config {
namespace {

TEST(EditDistance, CountsEachKindOfMistakeOnce) {
  EXPECT_EQ(EditDistance("max-held", "max-held"), 0u);
  EXPECT_EQ(EditDistance("max-held", "max-hald"), 1u);   // replaced
  EXPECT_EQ(EditDistance("max-held", "max-hed"), 1u);    // left out
  EXPECT_EQ(EditDistance("max-held", "max--held"), 1u);  // put in
  EXPECT_EQ(EditDistance("max-held", "max-hedl"), 1u);   // swapped
  EXPECT_EQ(EditDistance("abc", "cba"), 2u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("abc", ""), 3u);
  EXPECT_EQ(EditDistance("", ""), 0u);
}

TEST(Nearest, IsTheFirstOfTheClosest) {
  EXPECT_EQ(Nearest("garce", {"listen", "grace", "trace"}), "grace");
  EXPECT_EQ(Nearest("xrace", {"grace", "trace"}), "grace");
  EXPECT_EQ(Nearest("xrace", {"trace", "grace"}), "trace");
}

TEST(Nearest, IsNothingWithoutLikeness) {
  EXPECT_EQ(Nearest("colour", {"listen", "grace"}), "");
  EXPECT_EQ(Nearest("grace", {}), "");
  EXPECT_EQ(Nearest(std::string(100'000, 'x'), {"grace"}), "");
  // A third of the longer word is near, more is not.
  EXPECT_EQ(Nearest("abcdxy", {"abcdef"}), "abcdef");
  EXPECT_EQ(Nearest("abcxyz", {"abcdef"}), "");
}

}  // namespace
}  // namespace parity::config
