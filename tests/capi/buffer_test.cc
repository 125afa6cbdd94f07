// Memory for shards, ordinary and shared.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "owned_handles.h"
#include "parity.h"
#include "parityd_process.h"
#include "sanitizers.h"
#include "stripe.h"

namespace parity::capi {
namespace {

constexpr parity_geometry kFourAndTwo = {PARITY_CODE_REED_SOLOMON, 0, 4, 2, nullptr, 0};
constexpr size_t kShardBytes = 65536;

BufferHandle Allocate(parity_client* client, size_t bytes) {
  parity_buffer* buffer = nullptr;
  parity_error error = Dirty();
  const parity_status status = parity_buffer_allocate(client, bytes, &buffer, &error);
  EXPECT_EQ(Said(status, error), "0 ") << error.message;
  return BufferHandle(buffer);
}

// Encodes a stripe that lies in the buffer, and compares.
void EncodeIn(parity_client* client, const parity_buffer* buffer) {
  const Stripe stripe(kFourAndTwo, kShardBytes, 1);
  std::vector<uint8_t*> shards;
  for (uint32_t i = 0; i < 6; ++i) {
    shards.push_back(parity_buffer_data(buffer) + i * kShardBytes);
    if (i < 4) std::memcpy(shards[i], stripe.shards()[i], kShardBytes);
  }
  const std::vector<const uint8_t*> data(shards.begin(), shards.begin() + 4);
  parity_error error = Dirty();
  ASSERT_EQ(parity_encode(client, &kFourAndTwo, kShardBytes, data.data(), nullptr, 4, &shards[4], 2,
                          nullptr, &error),
            PARITY_OK)
      << error.message;
  for (uint32_t i = 4; i < 6; ++i) {
    EXPECT_EQ(std::memcmp(shards[i], stripe.shards()[i], kShardBytes), 0) << "shard " << i;
  }
}

TEST(CapiBuffer, IsOrdinaryWithoutAServer) {
  const ClientHandle client = MakeClient();
  const BufferHandle buffer = Allocate(client.get(), 6 * kShardBytes);
  EXPECT_EQ(parity_buffer_is_shared(buffer.get()), 0);
  EXPECT_EQ(parity_buffer_size(buffer.get()), 6 * kShardBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(parity_buffer_data(buffer.get())) % getpagesize(), 0U);
  EncodeIn(client.get(), buffer.get());
}

TEST(CapiBuffer, IsSharedWithAServerOnAUnixSocketAndOutlivesIt) {
  ParitydProcess server;
  ClientHandle client = MakeClient({{"target", server.target()}, {"policy", "remote-only"}});
  const BufferHandle buffer = Allocate(client.get(), 6 * kShardBytes);
  EXPECT_EQ(parity_buffer_is_shared(buffer.get()), 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(parity_buffer_data(buffer.get())) % getpagesize(), 0U);
  EncodeIn(client.get(), buffer.get());
  EXPECT_EQ(Counter(client.get(), "remote_slices"), 1U);
  server.Kill();
  client = nullptr;
  EncodeIn(MakeClient().get(), buffer.get());
}

TEST(CapiBuffer, IsOrdinaryIfNoMemoryIsToBeShared) {
  const ParitydProcess server;
  const ClientHandle client =
      MakeClient({{"target", server.target()}, {"policy", "remote-only"}, {"region_bytes", "0"}});
  EXPECT_EQ(parity_buffer_is_shared(Allocate(client.get(), 4096).get()), 0);
}

TEST(CapiBuffer, ErrorsNameWhatIsWrong) {
  const ClientHandle client = MakeClient();
  parity_error error = Dirty();
  auto* buffer = reinterpret_cast<parity_buffer*>(&error);
  EXPECT_EQ(Said(parity_buffer_allocate(nullptr, 1, &buffer, &error), error), "3 client");
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(Said(parity_buffer_allocate(client.get(), 1, nullptr, &error), error), "3 buffer");
}

TEST(CapiBuffer, IsRefusedIfThereIsNoMemory) {
  if (kernels::kAddressSanitizer || kernels::kThreadSanitizer) {
    GTEST_SKIP() << "a sanitizer's allocator ends the program instead of refusing";
  }
  const ClientHandle client = MakeClient();
  parity_error error = Dirty();
  auto* buffer = reinterpret_cast<parity_buffer*>(&error);
  EXPECT_EQ(Said(parity_buffer_allocate(client.get(), SIZE_MAX / 2, &buffer, &error), error), "8 ");
  EXPECT_EQ(buffer, nullptr);
}

}  // namespace
}  // namespace parity::capi
