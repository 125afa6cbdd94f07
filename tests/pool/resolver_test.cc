#include "resolver.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Target MustParse(std::string_view text) {
  absl::StatusOr<Target> target = ParseTarget("target", text);
  EXPECT_TRUE(target.ok()) << target.status();
  return target.ok() ? *std::move(target) : Target{};
}

// Knows that host and no other.
Lookup Finds(std::string_view host, const std::vector<std::string>& addresses) {
  return [host, addresses](const std::string& wanted) -> absl::StatusOr<std::vector<std::string>> {
    if (wanted != host) return absl::UnavailableError(absl::StrCat("asked for ", wanted));
    return addresses;
  };
}

absl::StatusOr<std::vector<std::string>> Forbidden(const std::string& host) {
  ADD_FAILURE() << "looked up " << host;
  return absl::InternalError("");
}

TEST(Resolver, OneServerIsItsOwnText) {
  for (const char* text : {"example.org:7420", "10.0.0.1:1", "[::1]:7420", "unix:/run/parityd.sock",
                           "unix:dns:x", "localhost:07420"}) {
    const Target target = MustParse(text);
    EXPECT_FALSE(target.is_name) << text;
    const auto servers = Resolve(target, Forbidden);
    ASSERT_TRUE(servers.ok()) << servers.status();
    EXPECT_THAT(*servers, ElementsAre(text));
  }
}

TEST(Resolver, ANameIsEveryAddressItHasOnceAndSorted) {
  const Lookup lookup = Finds("parity.example", {"10.0.0.2", "::1", "10.0.0.10", "10.0.0.2"});
  for (const char* text : {"dns:parity.example:99", "dns:///parity.example:99"}) {
    const auto servers = Resolve(MustParse(text), lookup);
    ASSERT_TRUE(servers.ok()) << servers.status();
    EXPECT_THAT(*servers, ElementsAre("10.0.0.10:99", "10.0.0.2:99", "[::1]:99"));
    for (const std::string& server : *servers) {
      EXPECT_TRUE(endpoint::Parse("server", server).ok()) << server;
    }
  }
}

TEST(Resolver, TheDefaultPortIs7420) {
  for (const char* text : {"dns:host", "dns:///host"}) {
    const auto servers = Resolve(MustParse(text), Finds("host", {"1.2.3.4"}));
    ASSERT_TRUE(servers.ok()) << servers.status();
    EXPECT_THAT(*servers, ElementsAre("1.2.3.4:7420"));
  }
  const auto servers = Resolve(MustParse("dns:[::2]"), Finds("::2", {"::2"}));
  ASSERT_TRUE(servers.ok()) << servers.status();
  EXPECT_THAT(*servers, ElementsAre("[::2]:7420"));
}

TEST(Resolver, AHostMayBeCalledDns) {
  EXPECT_FALSE(MustParse("dns:7420").is_name);
  EXPECT_EQ(MustParse("dns:7420").endpoint.host, "dns");
  EXPECT_TRUE(MustParse("dns:dns:7420").is_name);
}

TEST(Resolver, AWrongTargetIsNamedWithItsField) {
  for (const char* text :
       {"", "host", "host:", ":1", "host:65536", "::1", "http://host:1", "unix:", "dns:", "dns:///",
        "dns://8.8.8.8/host:1", "dns:/host", "dns:host:", "dns:host:65536", "dns::1", "dns:::1",
        "dns:unix:/run/parityd.sock", "dns:unix:x", "dns:[]"}) {
    const absl::Status status = ParseTarget("targets[3]", text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_EQ(codec::FieldOf(status).value_or(""), "targets[3]") << text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("got ", text))) << text;
  }
}

TEST(Resolver, ALookupThatFailsNamesTheTarget) {
  const absl::Status failed =
      Resolve(MustParse("dns:host:1"), [](const std::string&) {
        return absl::StatusOr<std::vector<std::string>>(absl::UnavailableError("host: try again"));
      }).status();
  EXPECT_EQ(failed, absl::UnavailableError("dns:host:1: host: try again"));
  const absl::Status empty = Resolve(MustParse("dns:host:1"), Finds("host", {})).status();
  EXPECT_EQ(empty.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(empty.message()), HasSubstr("dns:host:1"));
}

TEST(Resolver, TheSystemFindsAddressesThatAreWrittenOut) {
  for (const char* address : {"127.0.0.1", "::1", "203.0.113.7", "2001:db8::7"}) {
    const auto found = LookUpHost(address);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_THAT(*found, ElementsAre(address));
  }
}

TEST(Resolver, TheSystemSaysWhyItFindsNothing) {
  // No label of a name is so long: nobody is asked.
  const absl::Status status = LookUpHost(std::string(300, 'a')).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_GT(status.message().size(), std::string(300, 'a').size() + 2);
}

}  // namespace
}  // namespace parity::client
