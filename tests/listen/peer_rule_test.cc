#include "parity/listen/peer_rule.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "connected_as.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/endpoint/descriptor.h"
#include "parity/listen/listener.h"

namespace parity::testing {
namespace {

using endpoint::Descriptor;
using listen::PeerRule;
using ::testing::HasSubstr;

constexpr uid_t kUser = 12'345;
constexpr gid_t kGroup = 23'456;

// A listening socket that anybody can open.
class PeerRuleOfOthers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
    char name[] = "/tmp/parity-listen-test.XXXXXX";
    directory_ = mkdtemp(name);
    chmod(directory_.c_str(), 0755);
    path_ = directory_ + "/s.sock";
    auto opened = listen::Listener::Open(*endpoint::Parse("listen", "unix:" + path_));
    ASSERT_TRUE(opened.ok()) << opened.status();
    listener_.emplace(*std::move(opened));
    chmod(path_.c_str(), 0777);
  }
  void TearDown() override {
    listener_.reset();
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }

  absl::Status Check(const PeerRule& rule, const Identity& peer) {
    const Descriptor client = ConnectedAs(peer, path_);
    const Descriptor server(accept(listener_->fd(), nullptr, nullptr));
    EXPECT_NE(server.get(), -1);
    return rule.Check(server.get());
  }

 private:
  std::string directory_;
  std::string path_;
  std::optional<listen::Listener> listener_;
};

TEST(PeerRule, WithoutUsersAndGroupsAllowsEverybody) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const Descriptor one(ends[0]);
  const Descriptor other(ends[1]);
  EXPECT_TRUE(PeerRule().Check(one.get()).ok());
}

TEST(PeerRule, KnowsItsOwnProcess) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
  const Descriptor one(ends[0]);
  const Descriptor other(ends[1]);
  EXPECT_TRUE((PeerRule{{geteuid()}, {}}.Check(one.get()).ok()));
  EXPECT_TRUE((PeerRule{{}, {getegid()}}.Check(one.get()).ok()));
  EXPECT_TRUE(absl::IsPermissionDenied(PeerRule{{geteuid() + 1}, {}}.Check(one.get())));
}

TEST(PeerRule, WhatIsNoSocketIsAnError) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Descriptor one(ends[0]);
  const Descriptor other(ends[1]);
  EXPECT_FALSE((PeerRule{{geteuid()}, {}}.Check(one.get()).ok()));
}

TEST_F(PeerRuleOfOthers, AllowsTheUsersItNames) {
  const PeerRule rule{{1, kUser}, {}};
  EXPECT_TRUE(Check(rule, {kUser, kGroup, {}}).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Check(rule, {kUser + 1, kGroup, {}})));
}

TEST_F(PeerRuleOfOthers, AUserIsNoGroupOfThatNumber) {
  EXPECT_TRUE(absl::IsPermissionDenied(Check({{kUser}, {}}, {1, kUser, {kUser}})));
  EXPECT_TRUE(absl::IsPermissionDenied(Check({{}, {kGroup}}, {kGroup, 1, {}})));
}

TEST_F(PeerRuleOfOthers, RootIsAllowedOnlyIfNamed) {
  EXPECT_TRUE(absl::IsPermissionDenied(Check({{kUser}, {}}, {0, 0, {}})));
  EXPECT_TRUE(Check({{kUser, 0}, {}}, {0, 0, {}}).ok());
}

TEST_F(PeerRuleOfOthers, AllowsThePrimaryGroupsItNames) {
  const PeerRule rule{{}, {kGroup}};
  EXPECT_TRUE(Check(rule, {kUser, kGroup, {}}).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Check(rule, {kUser, kGroup + 1, {}})));
}

TEST_F(PeerRuleOfOthers, AllowsSupplementaryGroups) {
  const PeerRule rule{{}, {1, kGroup}};
  EXPECT_TRUE(Check(rule, {kUser, 2, {3, kGroup, 4}}).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Check(rule, {kUser, 2, {3, 4}})));
}

TEST_F(PeerRuleOfOthers, LooksThroughAsManyGroupsAsAProcessMayHave) {
  std::vector<gid_t> groups(static_cast<size_t>(sysconf(_SC_NGROUPS_MAX)));
  std::iota(groups.begin(), groups.end(), gid_t{100'000});
  EXPECT_TRUE(Check({{}, {groups.back()}}, {kUser, 2, groups}).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Check({{}, {groups.back() + 1}}, {kUser, 2, groups})));
}

TEST_F(PeerRuleOfOthers, EitherTheUserOrAGroupIsEnough) {
  const PeerRule rule{{kUser}, {kGroup}};
  EXPECT_TRUE(Check(rule, {kUser, 1, {}}).ok());
  EXPECT_TRUE(Check(rule, {1, kGroup, {}}).ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Check(rule, {1, 1, {}})));
}

TEST_F(PeerRuleOfOthers, ARefusalNamesThePeer) {
  EXPECT_THAT(std::string(Check({{1}, {}}, {kUser, kGroup, {}}).message()),
              HasSubstr("got uid 12345 and gid 23456"));
}

}  // namespace
}  // namespace parity::testing
