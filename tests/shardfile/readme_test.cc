// The example in client/shardfile/README.md is what the program writes.

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "parity/shardfile/header.h"
#include "scratch.h"

namespace parity::shardfile {
namespace {

// The bytes of the lines "<8 hexadecimal digits>  <bytes>".
Bytes DumpInReadme() {
  std::ifstream readme(PARITY_SHARDFILE_README);
  EXPECT_TRUE(readme) << PARITY_SHARDFILE_README;
  Bytes bytes;
  for (std::string line; std::getline(readme, line);) {
    if (line.size() < 10 || line.find_first_not_of("0123456789abcdef") != 8) continue;
    EXPECT_EQ(std::stoul(line.substr(0, 8), nullptr, 16), bytes.size());
    std::istringstream rest(line.substr(8));
    for (std::string byte; rest >> byte;) {
      bytes.push_back(static_cast<uint8_t>(std::stoul(byte, nullptr, 16)));
    }
  }
  return bytes;
}

TEST(Readme, ShowsAParityShardAsItIsWritten) {
  const Bytes example = DumpInReadme();
  ASSERT_EQ(example.size(), 137u);
  const absl::StatusOr<Header> documented = ParseHeader(example);
  ASSERT_TRUE(documented.ok()) << documented.status();

  const Scratch scratch;
  WriteFile(scratch / "object", {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9'});
  const absl::StatusOr<EncodedObject> object =
      EncodeObject(LocalCoder(), MakeGeometry(codec::Code::kXor, 2, 1), scratch / "object", {});
  ASSERT_TRUE(object.ok()) << object.status();
  EXPECT_EQ(documented->layout, object->layout);

  // All but the object id, which is random, and so the checksum of the header.
  Bytes written = ReadFile(object->paths[2]);
  ASSERT_EQ(written.size(), example.size());
  std::copy(example.begin() + 16, example.begin() + 32, written.begin() + 16);
  std::copy(example.begin() + 124, example.begin() + 128, written.begin() + 124);
  EXPECT_EQ(written, example);
}

}  // namespace
}  // namespace parity::shardfile
