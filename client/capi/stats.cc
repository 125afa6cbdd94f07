// Counters by name, so that a new one needs no new function.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "boundary.h"
#include "handles.h"
#include "parity/client/metrics.h"
#include "parity/codec/field_error.h"

namespace parity::capi {
namespace {

using client::ClientStats;

constexpr std::pair<std::string_view, uint64_t ClientStats::*> kCounters[] = {
    {"calls", &ClientStats::calls},
    {"failed_calls", &ClientStats::failed_calls},
    {"remote_slices", &ClientStats::remote_slices},
    {"local_slices", &ClientStats::local_slices},
    {"fallback_slices", &ClientStats::fallback_slices},
    {"retries", &ClientStats::retries},
    {"retries_refused", &ClientStats::retries_refused},
    {"pushbacks", &ClientStats::pushbacks},
    {"hedges", &ClientStats::hedges},
    {"hedges_won", &ClientStats::hedges_won},
    {"damaged_shards", &ClientStats::damaged_shards},
};

absl::Status GetCounter(const ClientStats& stats, std::string_view name, uint64_t& value) {
  for (const auto& [known, counter] : kCounters) {
    if (known != name) continue;
    value = stats.*counter;
    return absl::OkStatus();
  }
  return codec::InvalidField("name", name, "a counter of parity_stats_get");
}

absl::Status GetServerCounter(const ClientStats::Server& server, std::string_view name,
                              uint64_t& value) {
  const std::pair<std::string_view, uint64_t> counters[] = {
      {"attempts", server.attempts},
      {"failures", server.failures},
      {"bytes_in_flight", server.bytes_in_flight},
      {"usable", server.usable ? 1 : 0},
  };
  for (const auto& [known, counter] : counters) {
    if (known != name) continue;
    value = counter;
    return absl::OkStatus();
  }
  return codec::InvalidField("name", name, "a counter of parity_stats_server_get");
}

}  // namespace
}  // namespace parity::capi

using parity::capi::AtBoundary;
using parity::capi::NullArgument;

parity_status parity_stats_take(const parity_client* client, parity_stats** stats,
                                parity_error* error) {
  return AtBoundary(error, [&] {
    if (stats == nullptr) return NullArgument("stats");
    *stats = nullptr;
    if (client == nullptr) return NullArgument("client");
    if (client->guard.IsInherited()) {
      return absl::FailedPreconditionError("the client was made before this process was forked");
    }
    *stats = new parity_stats{client->client->GetStats()};
    return absl::OkStatus();
  });
}

void parity_stats_free(parity_stats* stats) { delete stats; }

parity_status parity_stats_get(const parity_stats* stats, const char* name, uint64_t* value,
                               parity_error* error) {
  return AtBoundary(error, [&] {
    if (stats == nullptr) return NullArgument("stats");
    if (name == nullptr) return NullArgument("name");
    if (value == nullptr) return NullArgument("value");
    return parity::capi::GetCounter(stats->stats, name, *value);
  });
}

size_t parity_stats_server_count(const parity_stats* stats) {
  return stats == nullptr ? 0 : stats->stats.servers.size();
}

const char* parity_stats_server_address(const parity_stats* stats, size_t server) {
  if (server >= parity_stats_server_count(stats)) return nullptr;
  return stats->stats.servers[server].address.c_str();
}

parity_status parity_client_metrics(const parity_client* client, char* text, size_t capacity,
                                    size_t* length, parity_error* error) {
  return AtBoundary(error, [&] {
    if (client == nullptr) return NullArgument("client");
    if (text == nullptr && capacity != 0) return NullArgument("text");
    if (length == nullptr) return NullArgument("length");
    if (client->guard.IsInherited()) {
      return absl::FailedPreconditionError("the client was made before this process was forked");
    }
    const std::string metrics = parity::client::ToPrometheus(client->client->GetStats());
    *length = metrics.size();
    if (capacity == 0) return absl::OkStatus();
    const size_t copied = std::min(metrics.size(), capacity - 1);
    std::copy_n(metrics.data(), copied, text);
    text[copied] = '\0';
    return absl::OkStatus();
  });
}

parity_status parity_stats_server_get(const parity_stats* stats, size_t server, const char* name,
                                      uint64_t* value, parity_error* error) {
  return AtBoundary(error, [&] {
    if (stats == nullptr) return NullArgument("stats");
    if (name == nullptr) return NullArgument("name");
    if (value == nullptr) return NullArgument("value");
    const size_t servers = stats->stats.servers.size();
    if (server >= servers) {
      return parity::codec::InvalidField("server", server, absl::StrCat("less than ", servers));
    }
    return parity::capi::GetServerCounter(stats->stats.servers[server], name, *value);
  });
}
