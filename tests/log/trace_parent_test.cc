// Which `traceparent` headers are well-formed.
#include "parity/log/trace_parent.h"

#include <string>

#include "gtest/gtest.h"

namespace parity::testing {
namespace {

constexpr char kTrace[] = "0af7651916cd43dd8448eb211c80319c";
const std::string kGood = std::string("00-") + kTrace + "-b7ad6b7169203331-01";

TEST(TraceParent, AWellFormedOneHasATraceId) {
  EXPECT_EQ(log::TraceIdOf(kGood), kTrace);
  EXPECT_EQ(log::TraceIdOf("00-" + std::string(kTrace) + "-b7ad6b7169203331-ff"), kTrace);
}

TEST(TraceParent, OfALaterVersionTheBeginningIsRead) {
  EXPECT_EQ(log::TraceIdOf("cc" + kGood.substr(2)), kTrace);
  EXPECT_EQ(log::TraceIdOf("cc" + kGood.substr(2) + "-what-the-future-brings"), kTrace);
  EXPECT_EQ(log::TraceIdOf("cc" + kGood.substr(2) + ".what"), "");
  EXPECT_EQ(log::TraceIdOf("cc" + kGood.substr(2) + "-" + std::string(1000, 'x')), "");
}

TEST(TraceParent, AMalformedOneHasNone) {
  EXPECT_EQ(log::TraceIdOf(""), "");
  EXPECT_EQ(log::TraceIdOf(kGood + "0"), "");
  EXPECT_EQ(log::TraceIdOf(kGood + "-0"), "");
  EXPECT_EQ(log::TraceIdOf(kGood.substr(0, kGood.size() - 1)), "");
  EXPECT_EQ(log::TraceIdOf("ff" + kGood.substr(2)), "");
  EXPECT_EQ(log::TraceIdOf("00-" + std::string(32, '0') + "-b7ad6b7169203331-01"), "");
  EXPECT_EQ(log::TraceIdOf("00-" + std::string(kTrace) + "-0000000000000000-01"), "");
  for (size_t i = 0; i < kGood.size(); ++i) {
    for (const char wrong : {'A', 'g', ' ', '\n', '\0', '\xc3', '.'}) {
      std::string bad = kGood;
      bad[i] = wrong;
      EXPECT_EQ(log::TraceIdOf(bad), "") << "position " << i << ", character " << int{wrong};
    }
  }
}

}  // namespace
}  // namespace parity::testing
