// The C API with servers: over shared memory, over the socket alone, dead, and none at all.
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "operations.h"
#include "owned_handles.h"
#include "parity.h"
#include "parityd_process.h"
#include "stripe.h"

namespace parity::capi {
namespace {

constexpr parity_geometry kFourAndTwo = {PARITY_CODE_REED_SOLOMON, 0, 4, 2, nullptr, 0};

parity_status Encode(parity_client* client, const Stripe& stripe, parity_error* error,
                     const parity_call_options* options = nullptr) {
  Outputs parity(2, stripe.shard_bytes());
  return parity_encode(client, &kFourAndTwo, stripe.shard_bytes(), stripe.shards().data(), nullptr,
                       4, parity.pointers(), 2, options, error);
}

class CapiRemote : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(RegionBytes, CapiRemote, ::testing::Values("0", "16777216"));

TEST_P(CapiRemote, GivesWhatLocalCoderGives) {
  const ParitydProcess server;
  const ClientHandle client = MakeClient(
      {{"target", server.target()}, {"policy", "remote-only"}, {"region_bytes", GetParam()}});
  for (uint32_t seed = 1000; seed < 1060; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Stripe stripe(seed);
    CheckOperations(client.get(), stripe);
    if (HasFailure()) return;
  }
  EXPECT_GE(Counter(client.get(), "remote_slices"), 60U);
  EXPECT_EQ(Counter(client.get(), "local_slices"), 0U);
  EXPECT_EQ(Counter(client.get(), "fallback_slices"), 0U);
}

TEST(CapiFallback, ComputesHereWhenTheServerIsKilled) {
  ParitydProcess server;
  const OptionsHandle options =
      MakeOptions({{"target", server.target()}, {"policy", "prefer-remote"}});
  struct Log {
    std::mutex mutex;
    std::vector<std::string> lines;
  } log;
  parity_options_set_log(
      options.get(),
      [](void* user, const char* line) {
        Log& to = *static_cast<Log*>(user);
        const std::lock_guard<std::mutex> lock(to.mutex);
        to.lines.emplace_back(line);
      },
      &log, nullptr);
  parity_client* made = nullptr;
  ASSERT_EQ(parity_client_new(options.get(), &made, nullptr), PARITY_OK);
  const ClientHandle client(made);

  Stripe stripe(kFourAndTwo, 10'000, 1);
  CheckOperations(client.get(), stripe);
  EXPECT_GT(Counter(client.get(), "remote_slices"), 0U);
  EXPECT_EQ(Counter(client.get(), "fallback_slices"), 0U);
  server.Kill();
  CheckOperations(client.get(), stripe);
  EXPECT_GT(Counter(client.get(), "fallback_slices"), 0U);
  EXPECT_EQ(Counter(client.get(), "failed_calls"), 0U);
  const std::lock_guard<std::mutex> lock(log.mutex);
  EXPECT_THAT(log.lines, ::testing::Contains(::testing::StartsWith("parity is computed")));
}

TEST(CapiFallback, IsNotThereIfThePolicyIsRemoteOnly) {
  ParitydProcess server;
  server.Kill();
  const ClientHandle client = MakeClient({{"target", server.target()},
                                          {"policy", "remote-only"},
                                          {"deadline", "300ms"},
                                          {"attempt_timeout", "100ms"}});
  const Stripe stripe(kFourAndTwo, 100, 1);
  parity_error error = Dirty();
  EXPECT_EQ(Said(Encode(client.get(), stripe, &error), error), "14 ");
  EXPECT_EQ(Counter(client.get(), "failed_calls"), 1U);
}

TEST(CapiCalls, EndByTheirDeadline) {
  ParitydProcess server;
  const ClientHandle client = MakeClient({{"target", server.target()},
                                          {"policy", "remote-only"},
                                          {"deadline", "1h"},
                                          {"attempt_timeout", "1h"},
                                          {"region_bytes", "0"}});
  const Stripe stripe(kFourAndTwo, 100, 1);
  parity_error error = Dirty();
  parity_call_options options = {sizeof options, 3'600'000, nullptr, nullptr};
  EXPECT_EQ(Said(Encode(client.get(), stripe, &error, &options), error), "0 ");
  server.Freeze();
  options.deadline_ms = 50;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(Said(Encode(client.get(), stripe, &error, &options), error), "4 ");
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, std::chrono::milliseconds(49));
  EXPECT_LT(took, std::chrono::seconds(30)) << "milliseconds, not seconds";
}

TEST(CapiCalls, EndByCancellation) {
  ParitydProcess server;
  const ClientHandle client = MakeClient({{"target", server.target()},
                                          {"policy", "remote-only"},
                                          {"deadline", "1h"},
                                          {"attempt_timeout", "1h"},
                                          {"region_bytes", "0"}});
  const Stripe stripe(kFourAndTwo, 100, 1);
  const CancellationHandle cancellation(parity_cancellation_new());
  const parity_call_options options = {sizeof options, 0, cancellation.get(), nullptr};
  parity_error error = Dirty();
  EXPECT_EQ(Said(Encode(client.get(), stripe, &error, &options), error), "0 ");
  server.Freeze();
  std::thread caller([&] {
    parity_error its_error = Dirty();
    EXPECT_EQ(Said(Encode(client.get(), stripe, &its_error, &options), its_error), "1 ");
  });
  while (ServerCounter(client.get(), "attempts") < 2) std::this_thread::yield();
  parity_cancellation_cancel(cancellation.get());
  caller.join();
  // In this process, too.
  EXPECT_EQ(Said(Encode(MakeClient().get(), stripe, &error, &options), error), "1 ");
}

}  // namespace
}  // namespace parity::capi
