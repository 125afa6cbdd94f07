#include "parity/metrics/process_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::metrics {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ProcessFacts, AreOfThisProcess) {
  const ProcessFacts before = ReadProcessFacts();
  EXPECT_GT(before.resident_bytes, 100'000u);
  EXPECT_GT(before.max_open_files, before.open_files);
  const auto now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch());
  EXPECT_LE(before.start_seconds, now.count() + 1);
  EXPECT_GT(before.start_seconds, now.count() - 3600);

  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const uint64_t threads = before.threads;
  std::thread thread([&] { EXPECT_EQ(ReadProcessFacts().threads, threads + 1); });
  thread.join();
  EXPECT_EQ(ReadProcessFacts().open_files, before.open_files + 1);
  close(fd);
}

TEST(ProcessFacts, CpuTimeGrows) {
  const double before = ReadProcessFacts().cpu_seconds;
  volatile uint64_t work = 0;
  while (ReadProcessFacts().cpu_seconds == before) work = work + 1;
  EXPECT_GT(ReadProcessFacts().cpu_seconds, before);
}

TEST(NodeBytes, AddsThePagesOfEachSize) {
  EXPECT_THAT(NodeBytes("55d000 default file=/usr/bin/x mapped=10 N0=7 N1=3 kernelpagesize_kB=4\n"
                        "7f0000 bind:1 anon=2 dirty=2 N1=2 kernelpagesize_kB=2048\n"
                        "7f1000 default\n"),
              ElementsAre(Pair(0, 7 * 4096), Pair(1, 3 * 4096 + 2 * 2048 * 1024)));
  EXPECT_THAT(NodeBytes(""), IsEmpty());
  EXPECT_THAT(NodeBytes("Name=3 N=4 NX=5 N0=x"), IsEmpty());
}

}  // namespace
}  // namespace parity::metrics
