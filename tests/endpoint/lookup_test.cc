#include "parity/endpoint/lookup.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace parity::endpoint {
namespace {

absl::Time Soon() { return absl::Now() + absl::Seconds(30); }

TEST(LookUp, TakesAddressesAsTheyAreWritten) {
  const auto found = LookUp("127.0.0.7", 7420, absl::InfinitePast());  // no time for a lookup
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 1u);
  const auto* address = reinterpret_cast<const sockaddr_in*>((*found)[0].get());
  EXPECT_EQ(address->sin_family, AF_INET);
  EXPECT_EQ(ntohl(address->sin_addr.s_addr), 0x7f000007u);
  EXPECT_EQ(ntohs(address->sin_port), 7420);
  EXPECT_EQ((*found)[0].bytes, sizeof(sockaddr_in));
}

TEST(LookUp, FindsNames) {
  const auto found = LookUp("localhost", 1, Soon());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->empty());
}

TEST(LookUp, SaysThatThereIsNoSuchName) {
  // Refused by the resolver itself, whatever the network: a label is 63 bytes at most.
  const auto found = LookUp(std::string(300, 'a'), 1, Soon());
  EXPECT_TRUE(absl::IsUnavailable(found.status())) << found.status();
  EXPECT_FALSE(found.status().message().empty());
}

TEST(LookUp, DoesNotWaitBeyondTheDeadline) {
  for (int i = 0; i < 100; ++i) {
    const auto found = LookUp("localhost", 1, absl::InfinitePast());
    EXPECT_TRUE(found.ok() || absl::IsDeadlineExceeded(found.status())) << found.status();
  }
  for (int i = 0; i < 100; ++i) {
    const auto found = LookUp("localhost", 1, Soon(), [] { return true; });
    EXPECT_TRUE(found.ok() || absl::IsDeadlineExceeded(found.status())) << found.status();
  }
  EXPECT_TRUE(LookUp("localhost", 1, Soon()).ok()) << "after lookups that were abandoned";
}

}  // namespace
}  // namespace parity::endpoint
