// What a line of the log looks like, whatever is in it.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "line_sink.h"
#include "parity/log/log.h"
#include "spdlog/spdlog.h"

namespace parity::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

// What is written while it is the default logger's sink.
class Lines {
 public:
  explicit Lines(log::Format format)
      : sink_(std::make_shared<LineSink>()), before_(spdlog::default_logger()) {
    sink_->set_formatter(log::MakeFormatter(format));
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink_));
  }
  ~Lines() { spdlog::set_default_logger(before_); }

  std::string last() const { return sink_->lines().back(); }

 private:
  std::shared_ptr<LineSink> sink_;
  std::shared_ptr<spdlog::logger> before_;
};

// The members of a line by another JSON parser than ours; all are strings.
google::protobuf::Struct Parsed(const std::string& line) {
  google::protobuf::Struct object;
  const auto status = google::protobuf::util::JsonStringToMessage(line, &object);
  EXPECT_TRUE(status.ok()) << status.ToString() << ": " << line;
  return object;
}

std::string Member(const std::string& line, const std::string& name) {
  const auto object = Parsed(line);
  const auto found = object.fields().find(name);
  return found == object.fields().end() ? "(none)" : found->second.string_value();
}

TEST(TextLog, IsTimeLevelMessageAndFields) {
  const Lines lines(log::Format::kText);
  log::Write(spdlog::level::warn, "it \"failed\"",
             {{"op", "encode"}, {"trace_id", ""}, {"peer", "a \"b\" \\"}});
  EXPECT_THAT(lines.last(),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}[+-][0-9]{2}:[0-9]{2} "
                           "warning it \"failed\" op=\"encode\" peer=.*\n"));
  EXPECT_THAT(lines.last(), EndsWith(R"( peer="a \"b\" \\")"
                                     "\n"));
  spdlog::info("plain");
  EXPECT_THAT(lines.last(), EndsWith(" info plain\n"));
}

TEST(TextLog, StaysOneLineWithoutControlCharacters) {
  const Lines lines(log::Format::kText);
  log::Write(spdlog::level::info, std::string("a\nb\0c\x1b[31m\x7f", 11),
             {{"peer", "x\r\n\t\xff\xc2\x9by\xe2\x80\xa8z"}});
  EXPECT_THAT(lines.last(), EndsWith(" info a?b?c?[31m? peer=\"x?????y?z\"\n"));
  spdlog::info("Zürich 日本 \U0001F600");
  EXPECT_THAT(lines.last(), EndsWith(" info Zürich 日本 \U0001F600\n"));
}

TEST(JsonLog, IsAnObjectWithTimeLevelMessageAndFields) {
  const Lines lines(log::Format::kJson);
  log::Write(spdlog::level::warn, "it failed", {{"op", "encode"}, {"trace_id", ""}});
  const std::string line = lines.last();
  EXPECT_THAT(Member(line, "time"),
              MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z"));
  EXPECT_EQ(Member(line, "level"), "warn");
  EXPECT_EQ(Member(line, "message"), "it failed");
  EXPECT_EQ(Member(line, "op"), "encode");
  EXPECT_EQ(Member(line, "trace_id"), "(none)");
  spdlog::error("plain");
  EXPECT_EQ(Member(lines.last(), "level"), "error");
  EXPECT_EQ(Member(lines.last(), "op"), "(none)");  // not that of the line before
}

TEST(JsonLog, EveryByteComesOutAsValidJson) {
  const Lines lines(log::Format::kJson);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = {'<', static_cast<char>(byte), '>'};
    log::Write(spdlog::level::info, text, {{"peer", text}});
    const std::string line = lines.last();
    EXPECT_EQ(line.find('\n'), line.size() - 1) << byte;
    const std::string want = byte < 0x80 ? text : "<\xef\xbf\xbd>";
    EXPECT_EQ(Member(line, "message"), want) << byte;
    EXPECT_EQ(Member(line, "peer"), want) << byte;
  }
}

TEST(JsonLog, WhatIsNotUtf8IsReplaced) {
  const Lines lines(log::Format::kJson);
  const std::string replaced = "\xef\xbf\xbd";
  const auto message = [&](const std::string& text) {
    log::Write(spdlog::level::info, text, {});
    return Member(lines.last(), "message");
  };
  EXPECT_EQ(message("\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80"), "é日\U0001F600");
  EXPECT_EQ(message("\xc0\xafx"), replaced + replaced + "x");          // overlong
  EXPECT_EQ(message("\xe0\x80\xaf"), replaced + replaced + replaced);  // overlong
  EXPECT_EQ(message("\xed\xa0\x80"), replaced + replaced + replaced);  // surrogate
  EXPECT_EQ(message("\xf4\x90\x80\x80").size(), 4 * replaced.size());  // beyond Unicode
  EXPECT_EQ(message("a\xe6\x97"), "a" + replaced + replaced);          // cut off
  EXPECT_EQ(message("\xe6\x97q"), replaced + replaced + "q");
}

TEST(Log, LinesBelowTheLevelAreNotWritten) {
  ::testing::internal::CaptureStderr();
  log::Start(log::Format::kJson, spdlog::level::warn);
  spdlog::info("quiet");
  log::Write(spdlog::level::info, "quiet", {});
  spdlog::warn("loud");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, Not(HasSubstr("quiet")));
  EXPECT_EQ(Member(text, "message"), "loud");
}

}  // namespace
}  // namespace parity::testing
