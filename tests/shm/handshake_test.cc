#include "parity/shm/handshake.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "process.h"

namespace parity::shm {
namespace {

using endpoint::Descriptor;

// More than a process may send at once.
constexpr size_t kMostDescriptors = 253;

class HandshakeTest : public ::testing::Test {
 protected:
  HandshakeTest() {
    int pair[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    one_ = Descriptor(pair[0]);
    other_ = Descriptor(pair[1]);
  }

  // As a client does that is not ours: any bytes, any descriptors.
  void SendRaw(const void* bytes, size_t count, size_t descriptors) {
    iovec part{const_cast<void*>(bytes), count};
    alignas(cmsghdr) char control[CMSG_SPACE(kMostDescriptors * sizeof(int))] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptors > 0) {
      const std::vector<int> sent(descriptors, one_.get());
      header.msg_control = control;
      header.msg_controllen = CMSG_SPACE(descriptors * sizeof(int));
      cmsghdr* const rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(descriptors * sizeof(int));
      std::memcpy(CMSG_DATA(rights), sent.data(), descriptors * sizeof(int));
    }
    ASSERT_EQ(sendmsg(one_.get(), &header, MSG_NOSIGNAL), static_cast<ssize_t>(count));
  }

  void DoNotBlock(const Descriptor& socket) {
    fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) | O_NONBLOCK);
  }

  Descriptor one_;
  Descriptor other_;
};

TEST_F(HandshakeTest, MessagesArriveAsTheyWereSent) {
  Hello hello;
  hello.node = 3;
  hello.region_bytes = uint64_t{1} << 40;
  ASSERT_TRUE(Send(one_.get(), hello).ok());
  Hello hello_back;
  ASSERT_TRUE(Receive(other_.get(), hello_back).ok());
  EXPECT_EQ(hello_back.version, kVersion);
  EXPECT_EQ(hello_back.node, 3);
  EXPECT_EQ(hello_back.region_bytes, uint64_t{1} << 40);

  Welcome welcome;
  welcome.code = 8;
  std::strcpy(welcome.text, "no room");
  ASSERT_TRUE(Send(other_.get(), welcome).ok());
  Welcome welcome_back;
  ASSERT_TRUE(Receive(one_.get(), welcome_back).ok());
  EXPECT_EQ(welcome_back.code, 8u);
  EXPECT_STREQ(welcome_back.text, "no room");
}

TEST_F(HandshakeTest, DescriptorsArriveInOrderAndAreClosedOnExec) {
  std::vector<Descriptor> memories;
  std::vector<int> sent;
  for (int i = 1; i <= 3; ++i) {
    memories.emplace_back(memfd_create("test", MFD_CLOEXEC));
    ASSERT_EQ(ftruncate(memories.back().get(), i), 0);
    sent.push_back(memories.back().get());
  }
  const size_t before = OpenDescriptors();
  ASSERT_TRUE(Send(one_.get(), Welcome(), sent).ok());
  {
    Welcome welcome;
    std::vector<Descriptor> came;
    ASSERT_TRUE(Receive(other_.get(), welcome, &came).ok());
    ASSERT_EQ(came.size(), 3u);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(lseek(came[i].get(), 0, SEEK_END), i + 1);
      EXPECT_NE(fcntl(came[i].get(), F_GETFD) & FD_CLOEXEC, 0);
    }
    EXPECT_EQ(OpenDescriptors(), before + 3);
  }
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(HandshakeTest, DescriptorsThatNobodyAskedForAreClosed) {
  const size_t before = OpenDescriptors();
  for (const size_t count : {size_t{1}, size_t{8}, size_t{9}, kMostDescriptors}) {
    const Hello hello;
    SendRaw(&hello, sizeof hello, count);
    Hello back;
    EXPECT_TRUE(Receive(other_.get(), back).ok());
    EXPECT_EQ(OpenDescriptors(), before) << count;
  }
}

TEST_F(HandshakeTest, MoreDescriptorsThanThereIsRoomForAreRefusedAndClosed) {
  const size_t before = OpenDescriptors();
  for (const size_t count : {size_t{9}, size_t{10}, kMostDescriptors}) {
    const Welcome welcome;
    SendRaw(&welcome, sizeof welcome, count);
    Welcome back;
    std::vector<Descriptor> came;
    EXPECT_TRUE(absl::IsInvalidArgument(Receive(other_.get(), back, &came))) << count;
    EXPECT_TRUE(came.empty());
    EXPECT_EQ(OpenDescriptors(), before) << count;
  }
}

TEST_F(HandshakeTest, DescriptorsOfAPacketThatIsRefusedAreClosed) {
  const size_t before = OpenDescriptors();
  const std::vector<char> bytes(sizeof(Welcome) + 1, 1);
  for (const size_t length : {size_t{1}, sizeof(Welcome) - 1, sizeof(Welcome) + 1}) {
    SendRaw(bytes.data(), length, 3);
    Welcome back;
    std::vector<Descriptor> came;
    EXPECT_TRUE(absl::IsInvalidArgument(Receive(other_.get(), back, &came))) << length;
    EXPECT_EQ(OpenDescriptors(), before) << length;
  }
}

TEST_F(HandshakeTest, DescriptorsBeyondTheLimitOfOpenFilesAreRefused) {
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const Welcome welcome;
  SendRaw(&welcome, sizeof welcome, 3);
  const size_t before = OpenDescriptors();
  rlimit tight = limit;
  tight.rlim_cur = static_cast<rlim_t>(NextDescriptor()) + 1;  // one fits
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  Welcome back;
  std::vector<Descriptor> came;
  const absl::Status status = Receive(other_.get(), back, &came);
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_TRUE(came.empty());
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(HandshakeTest, APacketOfAnotherLengthIsRefusedAndTheNextOneIsWhole) {
  const std::vector<char> bytes(100'000, 1);
  for (const size_t length :
       {size_t{1}, sizeof(Hello) - 1, sizeof(Hello) + 1, size_t{1'000}, bytes.size()}) {
    SendRaw(bytes.data(), length, 0);
    ASSERT_TRUE(Send(one_.get(), Hello()).ok());
    Hello hello;
    EXPECT_TRUE(absl::IsInvalidArgument(Receive(other_.get(), hello))) << length;
    EXPECT_TRUE(Receive(other_.get(), hello).ok()) << length;
  }
}

TEST_F(HandshakeTest, AnotherMagicIsRefused) {
  Mapped mapped;
  mapped.magic ^= 1;
  ASSERT_TRUE(Send(one_.get(), mapped).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Receive(other_.get(), mapped)));
}

TEST_F(HandshakeTest, AClosedPeerIsUnavailable) {
  ASSERT_TRUE(Send(one_.get(), Mapped()).ok());
  one_ = Descriptor();
  Mapped mapped;
  EXPECT_TRUE(Receive(other_.get(), mapped).ok()) << "what it had sent before";
  EXPECT_TRUE(absl::IsUnavailable(Receive(other_.get(), mapped)));
  // By a signal, this test would end here.
  EXPECT_FALSE(Send(other_.get(), mapped).ok());
  Wake(other_.get());
  EXPECT_FALSE(TakeWakes(other_.get()));
}

TEST_F(HandshakeTest, APeerThatWillSendNoMoreIsUnavailable) {
  shutdown(one_.get(), SHUT_WR);
  Mapped mapped;
  EXPECT_TRUE(absl::IsUnavailable(Receive(other_.get(), mapped)));
  EXPECT_FALSE(TakeWakes(other_.get()));
}

// A packet of no bytes looks like the end; nothing of ours sends one.
TEST_F(HandshakeTest, AnEmptyPacketIsTakenForTheEnd) {
  SendRaw("", 0, 0);
  Mapped mapped;
  EXPECT_TRUE(absl::IsUnavailable(Receive(other_.get(), mapped)));
  const size_t before = OpenDescriptors();
  SendRaw("", 0, 5);
  std::vector<Descriptor> came;
  EXPECT_TRUE(absl::IsUnavailable(Receive(other_.get(), mapped, &came)));
  SendRaw("", 0, 5);
  EXPECT_FALSE(TakeWakes(other_.get()));
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(HandshakeTest, NothingThereIsResourceExhaustedIfTheSocketDoesNotBlock) {
  DoNotBlock(other_);
  Mapped mapped;
  EXPECT_TRUE(absl::IsResourceExhausted(Receive(other_.get(), mapped)));
}

TEST_F(HandshakeTest, NothingWaitsForAPeerThatDoesNotRead) {
  const std::vector<char> bytes(1'000, 1);
  size_t sent = 0;
  while (Send(one_.get(), bytes.data(), bytes.size()).ok()) ASSERT_LT(++sent, 1'000'000u);
  EXPECT_GT(sent, 0u);
  while (send(one_.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) {
  }
  Wake(one_.get());
}

TEST_F(HandshakeTest, WakesAreTakenTogetherButNotForEver) {
  EXPECT_TRUE(TakeWakes(other_.get()));
  for (int i = 0; i < 5; ++i) Wake(one_.get());
  EXPECT_TRUE(TakeWakes(other_.get()));
  char byte;
  EXPECT_EQ(recv(other_.get(), &byte, 1, MSG_DONTWAIT), -1);

  int sent = 0;
  while (send(one_.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1) ++sent;
  int left = 0;
  EXPECT_TRUE(TakeWakes(other_.get()));
  while (recv(other_.get(), &byte, 1, MSG_DONTWAIT) == 1) ++left;
  EXPECT_LT(left, sent);
  EXPECT_GE(left, sent - 100);
}

TEST_F(HandshakeTest, WhateverComesInsteadOfAWakeIsTakenAndItsDescriptorsAreClosed) {
  const size_t before = OpenDescriptors();
  const std::vector<char> bytes(100'000, 1);
  for (const size_t length : {size_t{1}, sizeof(Hello), bytes.size()}) {
    SendRaw(bytes.data(), length, 0);
    SendRaw(bytes.data(), length, 1);
    if (length < bytes.size()) SendRaw(bytes.data(), length, kMostDescriptors);
    EXPECT_TRUE(TakeWakes(other_.get()));
    char byte;
    EXPECT_EQ(recv(other_.get(), &byte, 1, MSG_DONTWAIT), -1) << length;
    EXPECT_EQ(OpenDescriptors(), before) << length;
  }
}

}  // namespace
}  // namespace parity::shm
