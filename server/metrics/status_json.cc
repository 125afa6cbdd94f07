#include <nlohmann/json.hpp>
#include <string>

#include "parity/metrics/exposition.h"

namespace parity::metrics {
namespace {

using nlohmann::json;

json Described(const stats::Distribution& distribution) {
  return {
      {"bounds", distribution.bounds}, {"counts", distribution.counts}, {"sum", distribution.sum}};
}

json Described(const stats::Service& service) {
  json operations = json::object();
  for (size_t i = 0; i < stats::kOperations; ++i) {
    const stats::OperationCounts& counts = service.operations[i];
    json codes = json::object();
    for (size_t code = 0; code < stats::kCodes; ++code) {
      if (counts.requests[code] > 0) codes[CodeName(code)] = counts.requests[code];
    }
    operations[stats::kOperationNames.at(i)] = {{"requests", std::move(codes)},
                                                {"stripes", counts.stripes},
                                                {"source_bytes", counts.source_bytes},
                                                {"computed_bytes", counts.computed_bytes}};
  }
  return {{"transport", TransportName(service.transport)},
          {"operations", std::move(operations)},
          {"refused_requests", service.refused_requests},
          {"dropped_requests", service.dropped_requests},
          {"queue_seconds", Described(service.queue_seconds)},
          {"compute_seconds", Described(service.compute_seconds)},
          {"batch_slices", Described(service.batch_slices)}};
}

json Described(const stats::Worker& worker) {
  return {{"id", worker.id},
          {"transport", TransportName(worker.transport)},
          {"cpu", worker.cpu},
          {"node", worker.node},
          {"busy_seconds", worker.busy_seconds},
          {"requests", worker.requests},
          {"source_bytes", worker.source_bytes},
          {"connections", worker.connections}};
}

json Described(const ProcessFacts& process) {
  json nodes = json::object();
  for (const auto& [node, bytes] : process.node_bytes) nodes[std::to_string(node)] = bytes;
  json throttling;  // null: no quota
  if (process.throttling.has_value()) {
    throttling = {{"periods", process.throttling->periods},
                  {"throttled_periods", process.throttling->throttled_periods},
                  {"throttled_seconds", process.throttling->throttled_seconds}};
  }
  return {{"cpu_seconds", process.cpu_seconds},
          {"resident_bytes", process.resident_bytes},
          {"threads", process.threads},
          {"open_files", process.open_files},
          {"max_open_files", process.max_open_files},
          {"start_seconds", process.start_seconds},
          {"node_bytes", std::move(nodes)},
          {"throttling", std::move(throttling)}};
}

}  // namespace

std::string StatusJson(const stats::Snapshot& snapshot, const ProcessFacts& process) {
  json status = {{"version", snapshot.version},
                 {"revision", snapshot.revision},
                 {"kernels", snapshot.kernels},
                 {"addresses", snapshot.addresses},
                 {"serving", snapshot.serving},
                 {"draining", snapshot.draining},
                 {"drain_started_seconds", snapshot.drain_started_seconds},
                 {"unanswered_calls", snapshot.unanswered_calls},
                 {"held_bytes", snapshot.held_bytes},
                 {"held_bytes_limit", snapshot.held_bytes_limit},
                 {"connections", snapshot.connections},
                 {"connections_limit", snapshot.connections_limit},
                 {"stalled_connections", snapshot.stalled_connections},
                 {"regions", snapshot.regions},
                 {"region_bytes", snapshot.region_bytes},
                 {"region_bytes_limit", snapshot.region_bytes_limit},
                 {"process", Described(process)}};
  for (const auto& service : snapshot.services) status["services"].push_back(Described(service));
  for (const auto& worker : snapshot.workers) status["workers"].push_back(Described(worker));
  // A path can hold any bytes.
  return status.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace parity::metrics
