#include "parity/engine/cpu_quota.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace parity::engine {
namespace {

class CpuQuotaTest : public ::testing::Test {
 protected:
  CpuQuotaTest() {
    char name[] = "/tmp/parity-quota-test.XXXXXX";
    root_ = mkdtemp(name);
  }
  ~CpuQuotaTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& content) {
    const std::filesystem::path path = root_ + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }

  std::string root_;
};

TEST_F(CpuQuotaTest, ReadsVersion2) {
  Write("cpu.max", "150000 100000\n");
  EXPECT_EQ(CpuQuota(root_), 1.5);
}

TEST_F(CpuQuotaTest, MaxIsNoQuota) {
  Write("cpu.max", "max 100000\n");
  EXPECT_EQ(CpuQuota(root_), std::nullopt);
}

TEST_F(CpuQuotaTest, ReadsVersion1) {
  Write("cpu/cpu.cfs_quota_us", "50000\n");
  Write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_), 0.5);
}

TEST_F(CpuQuotaTest, MinusOneIsNoQuota) {
  Write("cpu/cpu.cfs_quota_us", "-1\n");
  Write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_), std::nullopt);
}

TEST_F(CpuQuotaTest, TheSmallestOfAGroupAndThoseAboveItHolds) {
  Write("membership", "4:cpu,cpuacct:/a/b\n0::/x/y\n");
  Write("cpu/a/b/cpu.cfs_quota_us", "300000\n");
  Write("cpu/a/b/cpu.cfs_period_us", "100000\n");
  Write("x/y/cpu.max", "max 100000\n");
  EXPECT_EQ(CpuQuota(root_, root_ + "/membership"), 3.0);
  Write("cpu/a/cpu.cfs_quota_us", "200000\n");
  Write("cpu/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(CpuQuota(root_, root_ + "/membership"), 2.0);
  Write("x/cpu.max", "50000 100000\n");
  EXPECT_EQ(CpuQuota(root_, root_ + "/membership"), 0.5);
}

TEST_F(CpuQuotaTest, NothingThereIsNoQuota) { EXPECT_EQ(CpuQuota(root_), std::nullopt); }

TEST_F(CpuQuotaTest, NonsenseIsNoQuota) {
  Write("cpu.max", "100000 0\n");
  EXPECT_EQ(CpuQuota(root_), std::nullopt);
}

}  // namespace
}  // namespace parity::engine
