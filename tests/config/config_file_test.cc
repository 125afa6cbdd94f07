#include "parity/config/config_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::config {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> Read(const std::string& text) {
  const absl::StatusOr<std::vector<Entry>> entries = ParseConfig("f", text);
  EXPECT_TRUE(entries.ok()) << entries.status();
  std::vector<std::string> shown;
  if (!entries.ok()) return shown;
  for (const Entry& entry : *entries) {
    shown.push_back(entry.place + " " + entry.key + "|" + entry.value);
  }
  return shown;
}

std::string Refused(const std::string& text) {
  const absl::StatusOr<std::vector<Entry>> entries = ParseConfig("f", text);
  EXPECT_EQ(entries.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(entries.status().message());
}

using Shown = std::vector<std::string>;

TEST(ParseConfig, ReadsKeysAndValuesByLine) {
  EXPECT_EQ(Read("a = 1\n\n# a = 2\n  b=two words # no comment \n"),
            (Shown{"f:1 a|1", "f:4 b|two words # no comment"}));
  EXPECT_EQ(Read("a = x=y"), (Shown{"f:1 a|x=y"}));
  EXPECT_EQ(Read(""), Shown{});
  EXPECT_EQ(Read("\n \t\n#"), Shown{});
}

TEST(ParseConfig, ReadsFilesOfOtherEditors) {
  EXPECT_EQ(Read("\xEF\xBB\xBF"
                 "a = 1\r\nb = 2\r\n"),
            (Shown{"f:1 a|1", "f:2 b|2"}));
}

TEST(ParseConfig, NamesThePlaceOfWhatItCannotRead) {
  EXPECT_EQ(Refused("a = 1\nnonsense\n"), "f:2: got 'nonsense', want 'key = value'");
  EXPECT_EQ(Refused("= 1"), "f:1: got no key, want 'key = value'");
  EXPECT_EQ(Refused("a ="), "f:1: a: got no value");
  EXPECT_EQ(Refused("a = 1\n\na = 1"), "f:3: a: got it again, want it once; it is at f:1");
  EXPECT_EQ(Refused("[server]\n"), "f:1: got '[server]', want 'key = value'");
}

TEST(ParseConfig, RefusesBinaryData) {
  EXPECT_EQ(Refused(std::string("a = 1\0", 6)), "f:1: got a control character, want text");
  EXPECT_EQ(Refused("\x7F"
                    "ELF"),
            "f:1: got a control character, want text");
  EXPECT_EQ(Refused("a = 1\rb = 2"), "f:1: got a control character, want text");
}

TEST(ParseConfig, ShowsOnlyTheBeginningOfALongLine) {
  EXPECT_EQ(Refused(std::string(100'000, 'x')),
            "f:1: got '" + std::string(60, 'x') + "...', want 'key = value'");
}

class ReadConfigFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/config_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = directory_ + "/parityd.conf";
  }
  void TearDown() override {
    (void)unlink(path_.c_str());
    (void)rmdir(directory_.c_str());
  }
  std::string Refused(const std::string& path) {
    return std::string(ReadConfigFile(path).status().message());
  }

  std::string directory_;
  std::string path_;
};

TEST_F(ReadConfigFileTest, ReadsUpToItsLimit) {
  const std::string comment = "#" + std::string(kMaxFileBytes - 7, '-') + "\n";
  std::ofstream(path_) << comment << "a = 1";
  const absl::StatusOr<std::vector<Entry>> entries = ReadConfigFile(path_);
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().place, path_ + ":2");

  std::ofstream(path_, std::ios::app) << "1";
  EXPECT_EQ(Refused(path_), "config: " + path_ + ": got a longer file, want at most 1048576 bytes");
}

TEST_F(ReadConfigFileTest, RefusesWhatIsNoFile) {
  EXPECT_THAT(Refused(path_), HasSubstr("config: " + path_ + ": cannot be opened: No such file"));
  EXPECT_EQ(Refused(directory_), "config: " + directory_ + ": got no regular file, want one");
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(Refused(path_), "config: " + path_ + ": got no regular file, want one");
}

}  // namespace
}  // namespace parity::config
