#include "parity/client/metrics.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ClientMetrics, AreTheCountersAsText) {
  const ClientStats stats{
      20, 2, 3, 4,  5,  6,
      7,  8, 9, 10, 11, {{"a:1", 12, 13, 14, false}, {"unix:/\\\"\n", 1, 0, 0, true}}};
  EXPECT_EQ(
      ToPrometheus(stats),
      R"(# HELP parity_client_requests_total Calls of the client that have begun, by how they ended.
# TYPE parity_client_requests_total counter
parity_client_requests_total{outcome="ok"} 18
parity_client_requests_total{outcome="error"} 2
# HELP parity_client_remote_slices_total Slices of stripes that a server has computed.
# TYPE parity_client_remote_slices_total counter
parity_client_remote_slices_total 3
# HELP parity_client_local_slices_total Slices that this process has computed by choice.
# TYPE parity_client_local_slices_total counter
parity_client_local_slices_total 4
# HELP parity_client_fallback_slices_total Slices that this process has computed as no server could.
# TYPE parity_client_fallback_slices_total counter
parity_client_fallback_slices_total 5
# HELP parity_client_retries_total Further attempts at servers.
# TYPE parity_client_retries_total counter
parity_client_retries_total 6
# HELP parity_client_retries_refused_total Further attempts not made for want of budget.
# TYPE parity_client_retries_refused_total counter
parity_client_retries_refused_total 7
# HELP parity_client_pushbacks_total Answers of servers that asked to come back later.
# TYPE parity_client_pushbacks_total counter
parity_client_pushbacks_total 8
# HELP parity_client_hedges_total Second servers asked because the first was slow.
# TYPE parity_client_hedges_total counter
parity_client_hedges_total 9
# HELP parity_client_hedges_won_total Second servers that answered first.
# TYPE parity_client_hedges_won_total counter
parity_client_hedges_won_total 10
# HELP parity_client_damaged_shards_total Shards damaged on the way, as their checksums told.
# TYPE parity_client_damaged_shards_total counter
parity_client_damaged_shards_total 11
# HELP parity_client_server_attempts_total Attempts at the server.
# TYPE parity_client_server_attempts_total counter
parity_client_server_attempts_total{server="a:1"} 12
parity_client_server_attempts_total{server="unix:/\\\"\n"} 1
# HELP parity_client_server_failures_total Attempts that failed by the server or the network.
# TYPE parity_client_server_failures_total counter
parity_client_server_failures_total{server="a:1"} 13
parity_client_server_failures_total{server="unix:/\\\"\n"} 0
# HELP parity_client_server_in_flight_bytes Bytes of shards under way at the server.
# TYPE parity_client_server_in_flight_bytes gauge
parity_client_server_in_flight_bytes{server="a:1"} 14
parity_client_server_in_flight_bytes{server="unix:/\\\"\n"} 0
# HELP parity_client_server_usable Whether the server is used; 0: given up for the moment.
# TYPE parity_client_server_usable gauge
parity_client_server_usable{server="a:1"} 0
parity_client_server_usable{server="unix:/\\\"\n"} 1
)");
}

TEST(ClientMetrics, WithoutServersHaveNoneOfThem) {
  EXPECT_THAT(ToPrometheus({}), Not(HasSubstr("server_attempts")));
}

}  // namespace
}  // namespace parity::client
