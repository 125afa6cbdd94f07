// Counters by name.
#include <string>

#include "gtest/gtest.h"
#include "handles.h"
#include "operations.h"
#include "owned_handles.h"
#include "parity.h"
#include "stripe.h"

namespace parity::capi {
namespace {

StatsHandle Take(const parity_client* client) {
  parity_stats* stats = nullptr;
  EXPECT_EQ(parity_stats_take(client, &stats, nullptr), PARITY_OK);
  return StatsHandle(stats);
}

TEST(CapiStats, HaveEveryCounterOfTheHeader) {
  const parity_stats stats{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, {{"a:1", 12, 13, 14, false}}}};
  uint64_t want = 0;
  for (const char* const name :
       {"calls", "failed_calls", "remote_slices", "local_slices", "fallback_slices", "retries",
        "retries_refused", "pushbacks", "hedges", "hedges_won", "damaged_shards"}) {
    uint64_t value = 0;
    EXPECT_EQ(parity_stats_get(&stats, name, &value, nullptr), PARITY_OK) << name;
    EXPECT_EQ(value, ++want) << name;
  }
  for (const char* const name : {"attempts", "failures", "bytes_in_flight"}) {
    uint64_t value = 0;
    EXPECT_EQ(parity_stats_server_get(&stats, 0, name, &value, nullptr), PARITY_OK) << name;
    EXPECT_EQ(value, ++want) << name;
  }
  uint64_t usable = 77;
  EXPECT_EQ(parity_stats_server_get(&stats, 0, "usable", &usable, nullptr), PARITY_OK);
  EXPECT_EQ(usable, 0U);
}

TEST(CapiStats, CountCallsAndStayAsTheyWere) {
  const ClientHandle client = MakeClient();
  Stripe stripe({PARITY_CODE_XOR, 0, 3, 1, nullptr, 0}, 100, 1);
  CheckEncode(client.get(), stripe);
  const StatsHandle before = Take(client.get());
  CheckEncode(client.get(), stripe);
  EXPECT_EQ(Counter(client.get(), "calls"), 2U);
  EXPECT_EQ(Counter(client.get(), "local_slices"), 2U);
  uint64_t calls = 0;
  EXPECT_EQ(parity_stats_get(before.get(), "calls", &calls, nullptr), PARITY_OK);
  EXPECT_EQ(calls, 1U);
}

TEST(CapiStats, AreTextForPrometheus) {
  const ClientHandle client = MakeClient();
  size_t length = 0;
  EXPECT_EQ(parity_client_metrics(client.get(), nullptr, 0, &length, nullptr), PARITY_OK);
  std::string text(length + 1, 'x');
  EXPECT_EQ(parity_client_metrics(client.get(), text.data(), text.size(), &length, nullptr),
            PARITY_OK);
  EXPECT_EQ(text.size(), length + 1);
  EXPECT_EQ(text.back(), '\0');
  EXPECT_EQ(text.find("# HELP parity_client_requests_total "), 0U);
  EXPECT_NE(text.find("\nparity_client_local_slices_total 0\n"), std::string::npos);
  char cut[10] = "123456789";
  EXPECT_EQ(parity_client_metrics(client.get(), cut, 5, &length, nullptr), PARITY_OK);
  EXPECT_STREQ(cut, "# HE");
  EXPECT_EQ(cut[5], '6');
  EXPECT_EQ(length + 1, text.size());
  parity_error error;
  EXPECT_EQ(parity_client_metrics(nullptr, nullptr, 0, &length, &error), PARITY_INVALID_ARGUMENT);
  EXPECT_STREQ(error.field, "client");
  EXPECT_EQ(parity_client_metrics(client.get(), nullptr, 1, &length, &error),
            PARITY_INVALID_ARGUMENT);
  EXPECT_STREQ(error.field, "text");
}

TEST(CapiStats, NameServers) {
  const ClientHandle client = MakeClient({{"target", "127.0.0.1:1"}, {"target", "unix:/none"}});
  const StatsHandle stats = Take(client.get());
  ASSERT_EQ(parity_stats_server_count(stats.get()), 2U);
  EXPECT_STREQ(parity_stats_server_address(stats.get(), 0), "127.0.0.1:1");
  EXPECT_STREQ(parity_stats_server_address(stats.get(), 1), "unix:/none");
  EXPECT_EQ(parity_stats_server_address(stats.get(), 2), nullptr);
  for (const char* const name : {"attempts", "failures", "bytes_in_flight"}) {
    EXPECT_EQ(ServerCounter(client.get(), name), 0U) << name;
  }
  EXPECT_EQ(ServerCounter(client.get(), "usable"), 1U);
}

TEST(CapiStats, ErrorsNameWhatIsWrong) {
  const ClientHandle client = MakeClient({{"target", "127.0.0.1:1"}});
  const StatsHandle stats = Take(client.get());
  uint64_t value = 77;
  parity_error error = Dirty();
  auto* taken = reinterpret_cast<parity_stats*>(&error);
  EXPECT_EQ(Said(parity_stats_take(nullptr, &taken, &error), error), "3 client");
  EXPECT_EQ(taken, nullptr);
  EXPECT_EQ(Said(parity_stats_take(client.get(), nullptr, &error), error), "3 stats");
  const auto get = [&](const parity_stats* of, const char* name, uint64_t* into) {
    const parity_status status = parity_stats_get(of, name, into, &error);
    return Said(status, error);
  };
  EXPECT_EQ(get(nullptr, "calls", &value), "3 stats");
  EXPECT_EQ(get(stats.get(), nullptr, &value), "3 name");
  EXPECT_EQ(get(stats.get(), "calls", nullptr), "3 value");
  EXPECT_EQ(get(stats.get(), "usable", &value), "3 name");
  const auto server_get = [&](const parity_stats* of, size_t server, const char* name,
                              uint64_t* into) {
    const parity_status status = parity_stats_server_get(of, server, name, into, &error);
    return Said(status, error);
  };
  EXPECT_EQ(server_get(nullptr, 0, "usable", &value), "3 stats");
  EXPECT_EQ(server_get(stats.get(), 0, nullptr, &value), "3 name");
  EXPECT_EQ(server_get(stats.get(), 0, "usable", nullptr), "3 value");
  EXPECT_EQ(server_get(stats.get(), 1, "usable", &value), "3 server");
  EXPECT_EQ(server_get(stats.get(), 0, "calls", &value), "3 name");
  EXPECT_EQ(value, 77U);
}

}  // namespace
}  // namespace parity::capi
