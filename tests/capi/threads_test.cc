// One client, many threads.
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "operations.h"
#include "owned_handles.h"
#include "parity.h"
#include "parityd_process.h"
#include "stripe.h"

namespace parity::capi {
namespace {

void CheckInThreads(parity_client* client) {
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([client, thread] {
      for (uint32_t i = 0; i < 10; ++i) {
        const uint32_t seed = 5000 + 100 * thread + i;
        SCOPED_TRACE("seed " + std::to_string(seed));
        Stripe stripe(seed);
        CheckOperations(client, stripe);
        parity_buffer* buffer = nullptr;
        EXPECT_EQ(parity_buffer_allocate(client, 4096, &buffer, nullptr), PARITY_OK);
        parity_buffer_free(buffer);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(CapiThreads, ShareAClient) { CheckInThreads(MakeClient().get()); }

TEST(CapiThreads, ShareAClientOfAServer) {
  const ParitydProcess server;
  const ClientHandle client = MakeClient({{"target", server.target()}, {"policy", "remote-only"}});
  CheckInThreads(client.get());
  EXPECT_GT(Counter(client.get(), "remote_slices"), 200U);
}

}  // namespace
}  // namespace parity::capi
