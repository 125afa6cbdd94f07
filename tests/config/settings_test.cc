#include "parity/config/settings.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// A small command line.
struct Values {
  std::string config;
  std::vector<std::string> listen;
  uint32_t max_held = 7;
  std::string name;
  bool check = false;
};

std::unique_ptr<CLI::App> Make(Values& values) {
  auto app = std::make_unique<CLI::App>("test", "test");
  app->add_option("--config", values.config, "File")->configurable(false);
  app->add_flag("--check", values.check, "Check")->configurable(false);
  app->add_option("--listen", values.listen, "Addresses");
  app->add_option("--max-held", values.max_held, "A number that is " + std::string(100, 'x'))
      ->check([](const std::string& text) {
        return text.size() > 3 ? "got " + text + ", want less" : "";
      })
      ->capture_default_str();
  app->add_option("--name", values.name, "A name");
  return app;
}

class SettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/settings_XXXXXX";
    const int fd = mkstemp(name.data());
    ASSERT_NE(fd, -1);
    close(fd);
    path_ = name;
  }
  void TearDown() override { (void)unlink(path_.c_str()); }

  void WriteFile(const std::string& text) { std::ofstream(path_) << text; }

  absl::StatusOr<Settings> CompleteWith(const std::vector<std::string>& arguments,
                                        std::vector<std::string> environment) {
    Values tried;
    return Complete(arguments, {"T_", std::move(environment), "config"},
                    [&tried] { return Make(tried); });
  }

  // The values of a command line that is completed.
  Values ValuesWith(const std::vector<std::string>& arguments,
                    std::vector<std::string> environment) {
    const absl::StatusOr<Settings> settings = CompleteWith(arguments, std::move(environment));
    EXPECT_TRUE(settings.ok()) << settings.status();
    Values values;
    if (!settings.ok()) return values;
    const std::unique_ptr<CLI::App> app = Make(values);
    app->parse(std::vector<std::string>(settings->arguments.rbegin(), settings->arguments.rend()));
    return values;
  }

  std::string Refused(const std::vector<std::string>& arguments,
                      std::vector<std::string> environment) {
    const absl::Status status = CompleteWith(arguments, std::move(environment)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

  std::string path_;
};

TEST_F(SettingsTest, TheCommandLineGoesBeforeTheEnvironmentBeforeTheFile) {
  WriteFile("max-held = 1\nname = of the file\nlisten = a, b,c\n");
  const std::vector<std::string> file = {"--config", path_};
  EXPECT_EQ(ValuesWith({}, {}).max_held, 7u);
  EXPECT_EQ(ValuesWith(file, {}).max_held, 1u);
  EXPECT_EQ(ValuesWith(file, {"T_MAX_HELD=2"}).max_held, 2u);
  EXPECT_EQ(ValuesWith({"--max-held", "3", "--config", path_}, {"T_MAX_HELD=2"}).max_held, 3u);
  EXPECT_EQ(ValuesWith(file, {"T_MAX_HELD=2"}).name, "of the file");
}

TEST_F(SettingsTest, AListIsReplacedAsAWhole) {
  WriteFile("listen = a, b,c\n");
  const std::vector<std::string> file = {"--config", path_};
  EXPECT_THAT(ValuesWith(file, {}).listen, ElementsAre("a", "b", "c"));
  EXPECT_THAT(ValuesWith(file, {"T_LISTEN=d,e"}).listen, ElementsAre("d", "e"));
  EXPECT_THAT(ValuesWith({"--config", path_, "--listen", "f"}, {"T_LISTEN=d,e"}).listen,
              ElementsAre("f"));
}

TEST_F(SettingsTest, TheEnvironmentMayNameTheFile) {
  WriteFile("max-held = 1\n");
  EXPECT_EQ(ValuesWith({}, {"T_CONFIG=" + path_}).max_held, 1u);
  EXPECT_EQ(ValuesWith({"--config", path_}, {"T_CONFIG=/nowhere"}).max_held, 1u);
  EXPECT_THAT(Refused({}, {"T_CONFIG=/nowhere"}), HasSubstr("config: /nowhere: "));
}

TEST_F(SettingsTest, AValueMayHoldCommasAndBlanksAndDashes) {
  EXPECT_EQ(ValuesWith({}, {"T_NAME=--check, --max-held=9"}).name, "--check, --max-held=9");
  EXPECT_FALSE(ValuesWith({}, {"T_NAME=--check"}).check);
}

TEST_F(SettingsTest, AnEmptyVariableCountsAsNone) {
  WriteFile("max-held = 1\n");
  EXPECT_EQ(ValuesWith({"--config", path_}, {"T_MAX_HELD=", "T_CONFIG="}).max_held, 1u);
}

TEST_F(SettingsTest, KnowsWhereEachValueComesFrom) {
  WriteFile("# first\nname = x\nmax-held = 1\n");
  const auto settings = CompleteWith({"--config", path_, "--max-held=2"}, {"T_LISTEN=a"});
  ASSERT_TRUE(settings.ok()) << settings.status();
  EXPECT_THAT(settings->origins,
              UnorderedElementsAre(Pair("max-held", "the command line"), Pair("listen", "T_LISTEN"),
                                   Pair("name", path_ + ":2")));
}

TEST_F(SettingsTest, UnknownNamesAreRefusedWithTheNearest) {
  EXPECT_EQ(Refused({}, {"T_MAX_HLED=1"}),
            "T_MAX_HLED: there is no such option; did you mean T_MAX_HELD?");
  EXPECT_EQ(Refused({}, {"T_COLOUR=1"}), "T_COLOUR: there is no such option");
  EXPECT_EQ(Refused({}, {"T_CHECK=1"}), "T_CHECK: there is no such option");
  WriteFile("\nmax_held = 1\n");
  EXPECT_EQ(Refused({"--config", path_}, {}),
            path_ + ":2: max_held: there is no such option; did you mean max-held?");
  WriteFile("config = other\n");
  EXPECT_EQ(Refused({"--config", path_}, {}), path_ + ":1: config: there is no such option");
  EXPECT_THAT(ValuesWith({}, {"TT_MAX_HLED=1", "OTHER=1", "T=1"}).listen, IsEmpty());
}

TEST_F(SettingsTest, WrongValuesAreRefusedAlsoWhereTheyDoNotCount) {
  EXPECT_EQ(Refused({}, {"T_MAX_HELD=1234"}), "T_MAX_HELD: got 1234, want less");
  EXPECT_EQ(Refused({"--max-held", "1"}, {"T_MAX_HELD=1234"}), "T_MAX_HELD: got 1234, want less");
  WriteFile("\nmax-held = 1234\n");
  EXPECT_EQ(Refused({"--config", path_}, {"T_MAX_HELD=1"}),
            path_ + ":2: max-held: got 1234, want less");
}

TEST_F(SettingsTest, LinksOfKubernetesToServicesAreNoOptions) {
  for (const char* name :
       {"SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_GRPC", "PORT", "PORT_7420_TCP",
        "PORT_7420_TCP_PROTO", "PORT_7420_TCP_PORT", "PORT_7420_TCP_ADDR", "POOL_SERVICE_HOST",
        "POOL_SERVICE_PORT_GRPC", "POOL_A_PORT_53_UDP_ADDR", "POOL_PORT"}) {
    const auto settings = CompleteWith({}, {std::string("T_") + name + "=x"});
    EXPECT_TRUE(settings.ok()) << settings.status();
  }
  for (const char* name : {"SERVICE", "PORTS", "PORT_7420", "PORT_X_TCP", "PORT_7420_TCP_NAME"}) {
    const auto settings = CompleteWith({}, {std::string("T_") + name + "=x"});
    EXPECT_FALSE(settings.ok()) << name;
  }
}

TEST_F(SettingsTest, WhatIsPrintedCanBeReadAgain) {
  const std::vector<std::string> arguments = {"--listen", "a", "--listen", "b"};
  const auto settings = CompleteWith(arguments, {"T_MAX_HELD=2"});
  ASSERT_TRUE(settings.ok()) << settings.status();
  Values values;
  const std::unique_ptr<CLI::App> app = Make(values);
  app->parse(std::vector<std::string>(settings->arguments.rbegin(), settings->arguments.rend()));
  const std::string printed = PrintedConfig(*app, settings->origins);
  EXPECT_EQ(printed,
            "# Addresses\n# From the command line.\nlisten = a, b\n"
            "\n# A number that is\n# " +
                std::string(100, 'x') +
                "\n# From T_MAX_HELD.\nmax-held = 2\n"
                "\n# A name\n#name =\n");
  WriteFile(printed);
  const Values again = ValuesWith({"--config", path_}, {});
  EXPECT_THAT(again.listen, ElementsAre("a", "b"));
  EXPECT_EQ(again.max_held, 2u);
}

}  // namespace
}  // namespace parity::config
