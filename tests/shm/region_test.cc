#include "parity/region/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "parity/region/region_table.h"
#include "process.h"

namespace parity::region {
namespace {

using endpoint::Descriptor;
using shm::Mapping;
using shm::MemoryOf;
using shm::OpenDescriptors;
using shm::PageBytes;

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();

std::shared_ptr<Region> MakeRegion(uint64_t bytes) {
  absl::StatusOr<std::shared_ptr<Region>> region = Region::Make(7, bytes, 0, {});
  EXPECT_TRUE(region.ok()) << region.status();
  return region.ok() ? *std::move(region) : nullptr;
}

bool IsZero(const uint8_t* data, size_t bytes) {
  return std::all_of(data, data + bytes, [](uint8_t byte) { return byte == 0; });
}

uint64_t BytesInMemory(int fd) {
  struct stat found;
  EXPECT_EQ(fstat(fd, &found), 0);
  return static_cast<uint64_t>(found.st_blocks) * 512;
}

TEST(Region, IsZeroedWholePagesThatAreThere) {
  for (const uint64_t bytes :
       {uint64_t{1}, PageBytes(), PageBytes() + 1, uint64_t{3} << 20, uint64_t{5} << 20}) {
    const auto region = MakeRegion(bytes);
    ASSERT_NE(region, nullptr);
    EXPECT_EQ(region->id(), 7u);
    EXPECT_EQ(region->bytes(), (bytes + PageBytes() - 1) / PageBytes() * PageBytes());
    EXPECT_GE(region->submissions_bytes(), sizeof(shm::Submissions));
    EXPECT_GE(region->completions_bytes(), sizeof(shm::Completions));
    EXPECT_EQ(Region::CostOf(bytes),
              region->bytes() + region->submissions_bytes() + region->completions_bytes());
    EXPECT_TRUE(IsZero(region->Find(0, region->bytes()), region->bytes()));
    const std::vector<int> fds = region->descriptors();
    ASSERT_EQ(fds.size(), 3u);
    EXPECT_GE(BytesInMemory(fds[0]), region->submissions_bytes());
    EXPECT_GE(BytesInMemory(fds[1]), region->completions_bytes());
    EXPECT_GE(BytesInMemory(fds[2]), region->bytes());
    EXPECT_EQ(region->submissions().tail.value, 0u);
    EXPECT_EQ(region->completions().tail.value, 0u);
  }
}

TEST(Region, ThatIsNotWantedAnyMoreIsGivenUp) {
  int asked = 0;
  const auto region = Region::Make(7, uint64_t{1} << 30, 0, {}, [&asked] { return ++asked < 3; });
  EXPECT_TRUE(absl::IsCancelled(region.status())) << region.status();
  EXPECT_EQ(asked, 3);
}

TEST(Region, CostDoesNotWrapAround) {
  for (const uint64_t bytes : {kMost, kMost - 1, kMost - PageBytes(), kMost - 100'000}) {
    EXPECT_GT(Region::CostOf(bytes), kMost - (1 << 20)) << bytes;
  }
}

TEST(Region, ThatCannotBeIsAnErrorAndLeavesNothing) {
  const size_t descriptors = OpenDescriptors();
  const uint64_t memory = MemoryOf("VmSize");
  for (const uint64_t bytes : {uint64_t{0}, uint64_t{1} << 62, uint64_t{1} << 63, kMost,
                               kMost - PageBytes(), kMost - PageBytes() + 1}) {
    for (int round = 0; round < 50; ++round) {
      EXPECT_FALSE(Region::Make(7, bytes, 0, {}).ok()) << bytes;
    }
  }
  EXPECT_EQ(OpenDescriptors(), descriptors);
  EXPECT_LT(MemoryOf("VmSize"), memory + (4 << 20));
}

TEST(Region, WithoutADescriptorLeftIsAnErrorAndLeavesNothing) {
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const size_t before = OpenDescriptors();
  for (rlim_t more = 0; more < 3; ++more) {
    const rlimit tight{static_cast<rlim_t>(shm::NextDescriptor()) + more, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
    const bool made = Region::Make(7, 1, 0, {}).ok();
    setrlimit(RLIMIT_NOFILE, &limit);
    EXPECT_FALSE(made) << more;
    EXPECT_EQ(OpenDescriptors(), before);
  }
}

// Beyond this limit the kernel sends a signal, which would end the server.
TEST(Region, LongerThanTheLimitOfFilesIsAnError) {
  const pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool small = Region::Make(7, 1 << 20, 0, {}).ok();
    const absl::Status large = Region::Make(7, 2 << 20, 0, {}).status();
    _exit(small && absl::IsResourceExhausted(large) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Region, GivesItsMemoryAndItsLeaseBackWithTheLastReference) {
  const auto budget = std::make_shared<engine::ByteBudget>(1 << 30);
  const auto holder = std::make_shared<engine::ByteBudget::Holder>(budget);
  const uint64_t shared = MemoryOf("RssShmem");
  constexpr uint64_t kBytes = 8 << 20;
  auto lease = holder->Take(Region::CostOf(kBytes));
  ASSERT_TRUE(lease.has_value());
  std::shared_ptr<Region> region = *Region::Make(7, kBytes, 0, *std::move(lease));
  EXPECT_EQ(budget->held_bytes(), Region::CostOf(kBytes));
  EXPECT_GE(MemoryOf("RssShmem"), shared + kBytes);
  std::shared_ptr<Region> of_a_request = region;
  region = nullptr;
  EXPECT_EQ(budget->held_bytes(), Region::CostOf(kBytes));
  of_a_request->Find(kBytes - 1, 1)[0] = 1;
  of_a_request = nullptr;
  EXPECT_EQ(budget->held_bytes(), 0u);
  EXPECT_LT(MemoryOf("RssShmem"), shared + kBytes / 2);
}

TEST(Region, FindsWhatIsInsideAsAWholeAndNothingElse) {
  const uint64_t size = 4 * PageBytes();
  const auto region = MakeRegion(size);
  uint8_t* const begin = region->Find(0, size);
  ASSERT_NE(begin, nullptr);
  EXPECT_EQ(region->Find(0, 0), begin);
  EXPECT_EQ(region->Find(1, size - 1), begin + 1);
  EXPECT_EQ(region->Find(size - 1, 1), begin + size - 1);
  EXPECT_EQ(region->Find(size - 1, 0), begin + size - 1);
  EXPECT_EQ(region->Find(size, 0), begin + size);

  const uint64_t half = uint64_t{1} << 63;
  const std::vector<uint64_t> edges = {0,
                                       1,
                                       size - 1,
                                       size,
                                       size + 1,
                                       uint64_t{1} << 32,
                                       half - size,
                                       half - 1,
                                       half,
                                       half + 1,
                                       kMost - 4095 - size,
                                       kMost - 4095,
                                       kMost - size,
                                       kMost - size + 1,
                                       kMost - 1,
                                       kMost};
  for (const uint64_t offset : edges) {
    for (const uint64_t bytes : edges) {
      const auto end = static_cast<unsigned __int128>(offset) + bytes;
      const uint8_t* const found = region->Find(offset, bytes);
      if (end > size) {
        EXPECT_EQ(found, nullptr) << offset << " " << bytes;
      } else {
        EXPECT_EQ(found, begin + offset) << offset << " " << bytes;
      }
    }
  }
}

// A client's view of the three memories, as the handshake gives it.
class HostileClient : public ::testing::Test {
 protected:
  enum Which { kSubmissions, kCompletions, kData };

  void SetUp() override {
    region_ = MakeRegion(kBytes);
    ASSERT_NE(region_, nullptr);
    for (const int fd : region_->descriptors()) {
      descriptors_.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    }
    std::memset(region_->Find(0, kBytes), 0x5a, kBytes);
  }

  int fd(Which which) const { return descriptors_[which].get(); }
  size_t bytes(Which which) const {
    return which == kSubmissions   ? region_->submissions_bytes()
           : which == kCompletions ? region_->completions_bytes()
                                   : region_->bytes();
  }
  void MapWritable() {
    for (const Which which : {kSubmissions, kData}) {
      auto mapping = Mapping::Map(fd(which), bytes(which), Mapping::Access::kReadWrite);
      ASSERT_TRUE(mapping.ok()) << mapping.status();
      mappings_.push_back(*std::move(mapping));
    }
  }
  void MapAndSeal() {
    MapWritable();
    const absl::Status status = region_->Seal();
    ASSERT_TRUE(status.ok()) << status;
  }

  // That every page is there, or the server would die here.
  uint64_t ReadAll() const {
    uint64_t sum = 0;
    const auto* const submissions = reinterpret_cast<const uint8_t*>(&region_->submissions());
    for (size_t i = 0; i < region_->submissions_bytes(); ++i) sum += submissions[i];
    const auto* const completions = reinterpret_cast<const uint8_t*>(&region_->completions());
    for (size_t i = 0; i < region_->completions_bytes(); ++i) sum += completions[i];
    const uint8_t* const data = region_->Find(0, region_->bytes());
    for (size_t i = 0; i < region_->bytes(); ++i) sum += data[i];
    return sum;
  }
  void ExpectIntact() const {
    const uint8_t* const data = region_->Find(0, region_->bytes());
    EXPECT_TRUE(std::all_of(data, data + kBytes, [](uint8_t byte) { return byte == 0x5a; }));
    EXPECT_TRUE(IsZero(reinterpret_cast<const uint8_t*>(&region_->completions()),
                       region_->completions_bytes()));
    ReadAll();
  }
  void ExpectAllPages() const {
    for (const Which which : {kSubmissions, kCompletions, kData}) {
      EXPECT_GE(BytesInMemory(fd(which)), bytes(which)) << which;
    }
  }

  void ExpectSizesCannotChange() const {
    for (const Which which : {kSubmissions, kCompletions, kData}) {
      const auto size = static_cast<off_t>(bytes(which));
      const auto page = static_cast<off_t>(PageBytes());
      for (const off_t other : {off_t{0}, page, size - page, size - 1, size + 1, size + page,
                                size * 100, off_t{1} << 40}) {
        if (other == size) continue;
        EXPECT_EQ(ftruncate(fd(which), other), -1) << which << " " << other;
      }
      EXPECT_EQ(fallocate(fd(which), 0, size, page), -1);
      // Beyond the end it would cost the server pages that nobody counts.
      EXPECT_EQ(fallocate(fd(which), FALLOC_FL_KEEP_SIZE, size, page), -1) << which;
      struct stat found;
      ASSERT_EQ(fstat(fd(which), &found), 0);
      EXPECT_EQ(found.st_size, size);
    }
  }

  static constexpr uint64_t kBytes = 3 << 20;
  std::shared_ptr<Region> region_;
  std::vector<Descriptor> descriptors_;
  std::vector<Mapping> mappings_;  // submissions, data
};

TEST_F(HostileClient, CannotChangeTheSizeBeforeItIsSealed) {
  ExpectSizesCannotChange();
  ExpectIntact();
}

TEST_F(HostileClient, CannotChangeTheSizeAfterItIsSealed) {
  MapAndSeal();
  ExpectSizesCannotChange();
  ExpectIntact();
}

TEST_F(HostileClient, CannotPunchHolesWhenSealed) {
  MapAndSeal();
  for (const Which which : {kSubmissions, kCompletions, kData}) {
    EXPECT_EQ(fallocate(fd(which), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                        static_cast<off_t>(bytes(which))),
              -1);
    EXPECT_EQ(errno, EPERM);
    for (const int mode : {FALLOC_FL_ZERO_RANGE, FALLOC_FL_COLLAPSE_RANGE, FALLOC_FL_INSERT_RANGE,
                           FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE}) {
      EXPECT_EQ(fallocate(fd(which), mode, 0, static_cast<off_t>(PageBytes())), -1) << mode;
    }
  }
  ExpectIntact();
  ExpectAllPages();
}

TEST_F(HostileClient, HolesFromBeforeTheSealAreFilledWhenItIsSealed) {
  MapWritable();
  for (const Which which : {kSubmissions, kData}) {
    ASSERT_EQ(fallocate(fd(which), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                        static_cast<off_t>(bytes(which))),
              0);
  }
  EXPECT_EQ(fallocate(fd(kCompletions), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                      static_cast<off_t>(bytes(kCompletions))),
            -1);
  EXPECT_LT(BytesInMemory(fd(kData)), bytes(kData));
  const absl::Status status = region_->Seal();
  ASSERT_TRUE(status.ok()) << status;
  ExpectAllPages();
  EXPECT_EQ(ReadAll(), 0u);
}

TEST_F(HostileClient, CannotRemovePagesByItsMapping) {
  MapAndSeal();
  for (const Mapping& mapping : mappings_) {
    EXPECT_EQ(madvise(mapping.data(), mapping.bytes(), MADV_REMOVE), -1);
    EXPECT_EQ(errno, EPERM);
    // These concern its own mapping only.
    madvise(mapping.data(), mapping.bytes(), MADV_DONTNEED);
    madvise(mapping.data(), mapping.bytes(), MADV_FREE);
    madvise(mapping.data(), mapping.bytes(), MADV_PAGEOUT);
  }
  ExpectIntact();
  ExpectAllPages();
}

TEST_F(HostileClient, CannotMapWritableWhenSealed) {
  MapAndSeal();
  for (const Which which : {kSubmissions, kCompletions, kData}) {
    const size_t size = bytes(which);
    EXPECT_EQ(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd(which), 0), MAP_FAILED);
    EXPECT_EQ(mmap(nullptr, size, PROT_WRITE, MAP_SHARED, fd(which), 0), MAP_FAILED);
    void* const read = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd(which), 0);
    ASSERT_NE(read, MAP_FAILED);
    EXPECT_EQ(mprotect(read, size, PROT_READ | PROT_WRITE), -1);
    EXPECT_EQ(mprotect(read, size, PROT_WRITE), -1);
    munmap(read, size);
    // Its own copy is its own affair.
    void* const copy = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd(which), 0);
    ASSERT_NE(copy, MAP_FAILED);
    std::memset(copy, 1, size);
    munmap(copy, size);
  }
  ExpectIntact();
}

TEST_F(HostileClient, KeepsWritingThroughTheMappingsFromBefore) {
  MapAndSeal();
  mappings_[kSubmissions].data()[0] = 9;
  EXPECT_EQ(region_->submissions().tail.value, 9u);
  mappings_[1].data()[kBytes - 1] = 3;
  EXPECT_EQ(region_->Find(kBytes - 1, 1)[0], 3);
}

TEST_F(HostileClient, CannotWriteOrReopenWhenSealed) {
  MapAndSeal();
  const std::string noise(PageBytes(), 'x');
  const Descriptor source(memfd_create("test", MFD_CLOEXEC));
  ASSERT_EQ(write(source.get(), noise.data(), noise.size()), static_cast<ssize_t>(noise.size()));
  for (const Which which : {kSubmissions, kCompletions, kData}) {
    const std::string path = "/proc/self/fd/" + std::to_string(fd(which));
    const Descriptor again(open(path.c_str(), O_RDWR | O_CLOEXEC));
    const Descriptor truncated(open(path.c_str(), O_RDWR | O_TRUNC | O_CLOEXEC));
    EXPECT_EQ(truncated.get(), -1);
    for (const int target : {fd(which), again.get()}) {
      EXPECT_EQ(write(target, noise.data(), noise.size()), -1) << which;
      EXPECT_EQ(pwrite(target, noise.data(), noise.size(), 0), -1) << which;
      off_t at = 0;
      EXPECT_EQ(sendfile(target, source.get(), &at, noise.size()), -1) << which;
      off_t from = 0, to = 0;
      EXPECT_EQ(copy_file_range(source.get(), &from, target, &to, noise.size(), 0), -1) << which;
      EXPECT_EQ(mmap(nullptr, PageBytes(), PROT_READ | PROT_WRITE, MAP_SHARED, target, 0),
                MAP_FAILED);
      EXPECT_EQ(ftruncate(target, 0), -1);
      EXPECT_EQ(fallocate(target, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                          static_cast<off_t>(PageBytes())),
                -1);
    }
  }
  ExpectIntact();
  ExpectAllPages();
}

TEST_F(HostileClient, NeverWritesCompletions) {
  for (const bool sealed : {false, true}) {
    if (sealed) MapAndSeal();
    const size_t size = bytes(kCompletions);
    EXPECT_EQ(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd(kCompletions), 0),
              MAP_FAILED);
    EXPECT_EQ(errno, EPERM);
    void* const read = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd(kCompletions), 0);
    ASSERT_NE(read, MAP_FAILED);
    EXPECT_EQ(mprotect(read, size, PROT_READ | PROT_WRITE), -1);
    EXPECT_EQ(errno, EACCES);
    EXPECT_EQ(madvise(read, size, MADV_REMOVE), -1);
    munmap(read, size);
    EXPECT_EQ(pwrite(fd(kCompletions), "x", 1, 0), -1);
    EXPECT_EQ(fallocate(fd(kCompletions), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                        static_cast<off_t>(size)),
              -1);
    EXPECT_EQ(fcntl(fd(kCompletions), F_ADD_SEALS, F_SEAL_WRITE), -1);
  }
  ExpectIntact();
}

TEST_F(HostileClient, ThatSealsFirstIsNoticed) {
  for (const Which which : {kSubmissions, kData}) {
    descriptors_.clear();
    mappings_.clear();
    SetUp();
    MapWritable();
    const size_t before = OpenDescriptors();
    ASSERT_EQ(fcntl(fd(which), F_ADD_SEALS, F_SEAL_SEAL), 0);
    EXPECT_TRUE(absl::IsFailedPrecondition(region_->Seal())) << which;
    EXPECT_EQ(OpenDescriptors(), before - 3);
    ExpectIntact();
  }
}

TEST_F(HostileClient, CannotSealTheServersOwnWritesAway) {
  MapWritable();
  for (const Which which : {kSubmissions, kCompletions, kData}) {
    EXPECT_EQ(fcntl(fd(which), F_ADD_SEALS, F_SEAL_WRITE), -1);
  }
  // This is what the server adds as well.
  ASSERT_EQ(fcntl(fd(kData), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
  EXPECT_TRUE(region_->Seal().ok());
  for (const Which which : {kSubmissions, kCompletions, kData}) {
    EXPECT_EQ(fcntl(fd(which), F_ADD_SEALS, F_SEAL_WRITE), -1);
    EXPECT_EQ(errno, EPERM);
  }
  region_->Find(0, 1)[0] = 0x5a;
  ExpectIntact();
}

TEST_F(HostileClient, LeavesTheServerNoDescriptors) {
  const size_t before = OpenDescriptors();
  MapAndSeal();
  EXPECT_EQ(OpenDescriptors(), before - 3);
  region_ = nullptr;
  EXPECT_EQ(OpenDescriptors(), before - 3);
}

TEST(RegionTable, GivesIdsThatDiffer) {
  RegionTable table;
  std::vector<uint64_t> ids;
  for (int i = 0; i < 10'000; ++i) ids.push_back(table.NewId());
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  EXPECT_NE(ids.front(), 0u);
  EXPECT_GT(ids.back(), uint64_t{1} << 60) << "all 64 bits are random";
}

TEST(RegionTable, FindsARegionForAsLongAsItIsThere) {
  RegionTable table;
  const auto region = MakeRegion(1);
  EXPECT_EQ(table.Find(7), nullptr);
  table.Add(region);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table.Find(7), region);
  EXPECT_EQ(table.Find(8), nullptr);
  EXPECT_EQ(table.Find(0), nullptr);
  table.Remove(8);
  EXPECT_EQ(table.size(), 1u);
  table.Remove(7);
  table.Remove(7);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_EQ(table.Find(7), nullptr);
}

TEST(RegionTable, ARegionThatIsRemovedWhileARequestUsesItStays) {
  RegionTable table;
  std::atomic<bool> done{false};
  std::atomic<uint64_t> found{0};
  std::vector<std::thread> requests;
  for (int i = 0; i < 2; ++i) {
    const size_t half = PageBytes() / 2;
    requests.emplace_back([&, half, offset = static_cast<size_t>(i) * half] {
      while (!done.load()) {
        const std::shared_ptr<Region> region = table.Find(7);
        if (region == nullptr) continue;
        std::memset(region->Find(offset, half), 1, half);
        ++found;
      }
    });
  }
  // Until both have met often enough; regions are costly to make.
  for (int round = 0; round < 1'000 || found.load() < 1'000; ++round) {
    table.Add(MakeRegion(PageBytes()));
    std::this_thread::yield();
    table.Remove(7);
  }
  done = true;
  for (std::thread& request : requests) request.join();
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace parity::region
