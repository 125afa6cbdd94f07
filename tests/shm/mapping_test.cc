#include "parity/shm/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "parity/endpoint/descriptor.h"
#include "process.h"

namespace parity::shm {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

endpoint::Descriptor MemoryOfBytes(size_t bytes) {
  endpoint::Descriptor memory(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(memory.get(), static_cast<off_t>(bytes)), 0);
  return memory;
}

bool IsMapped(const uint8_t* page) {
  unsigned char resident;
  return mincore(const_cast<uint8_t*>(page), 1, &resident) == 0;
}

TEST(Mapping, IsSharedWithEveryOtherOfTheSameMemory) {
  for (const size_t bytes : {PageBytes(), kHugePage, kHugePage + PageBytes(), 5 * kHugePage}) {
    const endpoint::Descriptor memory = MemoryOfBytes(bytes);
    const auto one = Mapping::Map(memory.get(), bytes, Mapping::Access::kReadWrite);
    const auto other = Mapping::Map(memory.get(), bytes, Mapping::Access::kRead);
    ASSERT_TRUE(one.ok() && other.ok());
    EXPECT_EQ(one->bytes(), bytes);
    for (const size_t at : {size_t{0}, bytes / 2, bytes - 1}) {
      one->data()[at] = 77;
      EXPECT_EQ(other->data()[at], 77);
    }
  }
}

TEST(Mapping, IsAtAMultipleOfAHugePageFromThatSizeOn) {
  for (const size_t bytes : {kHugePage, kHugePage + PageBytes(), 3 * kHugePage}) {
    const endpoint::Descriptor memory = MemoryOfBytes(bytes);
    std::vector<Mapping> mappings;
    for (int i = 0; i < 8; ++i) {
      auto mapping = Mapping::Map(memory.get(), bytes, Mapping::Access::kReadWrite);
      ASSERT_TRUE(mapping.ok());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(mapping->data()) % kHugePage, 0u);
      mappings.push_back(*std::move(mapping));
    }
  }
}

TEST(Mapping, TakesNoAddressesButItsOwnAndGivesThemBack) {
  for (const size_t bytes : {PageBytes(), kHugePage + PageBytes()}) {
    const endpoint::Descriptor memory = MemoryOfBytes(bytes);
    const uint64_t before = MemoryOf("VmSize");
    for (int round = 0; round < 200; ++round) {
      auto mapping = Mapping::Map(memory.get(), bytes, Mapping::Access::kReadWrite);
      ASSERT_TRUE(mapping.ok());
      if (round == 0) {
        EXPECT_LT(MemoryOf("VmSize"), before + bytes + kHugePage);
      }
      const uint8_t* const data = mapping->data();
      mapping = Mapping();
      EXPECT_FALSE(IsMapped(data));
    }
    EXPECT_LT(MemoryOf("VmSize"), before + bytes);
  }
}

TEST(Mapping, MovesWithoutUnmapping) {
  const endpoint::Descriptor memory = MemoryOfBytes(PageBytes());
  Mapping one = *Mapping::Map(memory.get(), PageBytes(), Mapping::Access::kReadWrite);
  uint8_t* const data = one.data();
  Mapping two = std::move(one);
  EXPECT_EQ(two.data(), data);
  EXPECT_TRUE(IsMapped(data));
  {
    Mapping three;
    three = std::move(two);
    EXPECT_EQ(three.data(), data);
    EXPECT_TRUE(IsMapped(data));
  }
  EXPECT_FALSE(IsMapped(data));
}

TEST(Mapping, ThatTheSystemRefusesIsAnErrorAndTakesNoAddresses) {
  for (const size_t bytes : {PageBytes(), kHugePage}) {
    const endpoint::Descriptor memory = MemoryOfBytes(bytes);
    ASSERT_EQ(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE), 0);
    const uint64_t before = MemoryOf("VmSize");
    for (int round = 0; round < 200; ++round) {
      EXPECT_FALSE(Mapping::Map(memory.get(), bytes, Mapping::Access::kReadWrite).ok());
      EXPECT_FALSE(Mapping::Map(-1, bytes, Mapping::Access::kRead).ok());
    }
    EXPECT_LT(MemoryOf("VmSize"), before + kHugePage);
    EXPECT_TRUE(Mapping::Map(memory.get(), bytes, Mapping::Access::kRead).ok());
  }
  const endpoint::Descriptor memory = MemoryOfBytes(PageBytes());
  for (const size_t bytes : {size_t{0}, SIZE_MAX, SIZE_MAX - kHugePage, SIZE_MAX / 2 + 1}) {
    EXPECT_FALSE(Mapping::Map(memory.get(), bytes, Mapping::Access::kRead).ok()) << bytes;
  }
}

TEST(Mapping, ForReadingCannotBeWritten) {
  const endpoint::Descriptor memory = MemoryOfBytes(PageBytes());
  const auto mapping = Mapping::Map(memory.get(), PageBytes(), Mapping::Access::kRead);
  ASSERT_TRUE(mapping.ok());
  EXPECT_DEATH(*const_cast<volatile uint8_t*>(mapping->data()) = 1, "");
}

}  // namespace
}  // namespace parity::shm
