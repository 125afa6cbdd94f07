#include "parity/client/metrics.h"

#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace parity::client {
namespace {

void AddHead(std::string& text, std::string_view name, std::string_view type,
             std::string_view help) {
  for (const std::string_view part :
       {std::string_view("# HELP parity_client_"), name, std::string_view(" "), help,
        std::string_view("\n# TYPE parity_client_"), name, std::string_view(" "), type,
        std::string_view("\n")}) {
    text += part;
  }
}

void AddSample(std::string& text, std::string_view name, std::string_view labels, uint64_t value) {
  text += "parity_client_";
  text += name;
  text += labels;
  absl::StrAppend(&text, " ", value, "\n");
}

// {label="value"}, with what the format reserves escaped.
std::string Label(std::string_view label, std::string_view value) {
  std::string text = "{";
  text += label;
  text += "=\"";
  for (const char c : value) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  text += "\"}";
  return text;
}

struct Counter {
  std::string_view name;
  std::string_view help;
  uint64_t ClientStats::*value;
};

constexpr Counter kCounters[] = {
    {"remote_slices_total", "Slices of stripes that a server has computed.",
     &ClientStats::remote_slices},
    {"local_slices_total", "Slices that this process has computed by choice.",
     &ClientStats::local_slices},
    {"fallback_slices_total", "Slices that this process has computed as no server could.",
     &ClientStats::fallback_slices},
    {"retries_total", "Further attempts at servers.", &ClientStats::retries},
    {"retries_refused_total", "Further attempts not made for want of budget.",
     &ClientStats::retries_refused},
    {"pushbacks_total", "Answers of servers that asked to come back later.",
     &ClientStats::pushbacks},
    {"hedges_total", "Second servers asked because the first was slow.", &ClientStats::hedges},
    {"hedges_won_total", "Second servers that answered first.", &ClientStats::hedges_won},
    {"damaged_shards_total", "Shards damaged on the way, as their checksums told.",
     &ClientStats::damaged_shards},
};

struct ServerMetric {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  uint64_t (*value)(const ClientStats::Server& server);
};

using Server = ClientStats::Server;

constexpr ServerMetric kServerMetrics[] = {
    {"server_attempts_total", "counter", "Attempts at the server.",
     [](const Server& server) { return server.attempts; }},
    {"server_failures_total", "counter", "Attempts that failed by the server or the network.",
     [](const Server& server) { return server.failures; }},
    {"server_in_flight_bytes", "gauge", "Bytes of shards under way at the server.",
     [](const Server& server) { return server.bytes_in_flight; }},
    {"server_usable", "gauge", "Whether the server is used; 0: given up for the moment.",
     [](const Server& server) { return uint64_t{server.usable}; }},
};

}  // namespace

std::string ToPrometheus(const ClientStats& stats) {
  std::string text;
  AddHead(text, "requests_total", "counter",
          "Calls of the client that have begun, by how they ended.");
  // The two are read one after the other while calls end.
  const uint64_t good = stats.calls > stats.failed_calls ? stats.calls - stats.failed_calls : 0;
  AddSample(text, "requests_total", Label("outcome", "ok"), good);
  AddSample(text, "requests_total", Label("outcome", "error"), stats.failed_calls);
  for (const Counter& counter : kCounters) {
    AddHead(text, counter.name, "counter", counter.help);
    AddSample(text, counter.name, "", stats.*counter.value);
  }
  for (const ServerMetric& metric : kServerMetrics) {
    if (stats.servers.empty()) break;
    AddHead(text, metric.name, metric.type, metric.help);
    for (const Server& server : stats.servers) {
      AddSample(text, metric.name, Label("server", server.address), metric.value(server));
    }
  }
  return text;
}

}  // namespace parity::client
