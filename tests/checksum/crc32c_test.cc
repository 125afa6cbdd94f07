#include "parity/checksum/crc32c.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace parity::checksum {
namespace {

absl::Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// RFC 3720, appendix B.4.
TEST(Crc32c, IsThatOfISCSI) {
  EXPECT_EQ(Crc32c(BytesOf("")), 0u);
  EXPECT_EQ(Crc32c(BytesOf("123456789")), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0x00)), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::vector<uint8_t>(32, 0xff)), 0x62a8ab43u);
}

TEST(Crc32c, GoesOnWhereAnotherEnded) {
  const std::string text = "the quick brown fox jumps over the lazy dog, and over the fence";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const uint32_t first = Crc32c(BytesOf(text.substr(0, cut)));
    EXPECT_EQ(Crc32c(BytesOf(text.substr(cut)), first), Crc32c(BytesOf(text))) << cut;
  }
}

}  // namespace
}  // namespace parity::checksum
