#include "parity/metrics/exposition.h"

#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace parity::metrics {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// Families of metrics, one after the other.
class Families {
 public:
  // The next values are those of this family.
  void Begin(const char* name, MetricType type, const char* help) {
    families_.push_back({name, help, type, {}});
  }
  void Add(Labels labels, double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    // Each type has its own place for a value.
    metric.counter.value = value;
    metric.gauge.value = value;
    families_.back().metric.push_back(std::move(metric));
  }
  void Add(Labels labels, const stats::Distribution& distribution) {
    ClientMetric metric;
    metric.label = std::move(labels);
    metric.histogram.sample_sum = distribution.sum;
    for (size_t i = 0; i < distribution.counts.size(); ++i) {
      metric.histogram.sample_count += distribution.counts[i];
      const double bound = i < distribution.bounds.size() ? distribution.bounds[i]
                                                          : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({metric.histogram.sample_count, bound});
    }
    families_.back().metric.push_back(std::move(metric));
  }

  void Counter(const char* name, const char* help) { Begin(name, MetricType::Counter, help); }
  void Gauge(const char* name, const char* help) { Begin(name, MetricType::Gauge, help); }
  void Histogram(const char* name, const char* help) { Begin(name, MetricType::Histogram, help); }
  // A family of one.
  void OneCounter(const char* name, double value, const char* help) {
    Counter(name, help);
    Add({}, value);
  }
  void OneGauge(const char* name, double value, const char* help) {
    Gauge(name, help);
    Add({}, value);
  }

  std::string Text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return out.str();
  }

 private:
  std::vector<MetricFamily> families_;
};

double Value(uint64_t value) { return static_cast<double>(value); }

Labels Of(const stats::Service& service) {
  return {{"transport", TransportName(service.transport)}};
}

Labels Of(const stats::Service& service, size_t operation) {
  return {{"op", stats::kOperationNames.at(operation)},
          {"transport", TransportName(service.transport)}};
}

Labels Of(const stats::Worker& worker) {
  return {{"worker", std::to_string(worker.id)},
          {"transport", TransportName(worker.transport)},
          {"cpu", std::to_string(worker.cpu)},
          {"node", std::to_string(worker.node)}};
}

// Calls add(service, operation, counts) for each.
template <class Function>
void ForEachOperation(const stats::Snapshot& snapshot, const Function& add) {
  for (const stats::Service& service : snapshot.services) {
    for (size_t i = 0; i < stats::kOperations; ++i) add(service, i, service.operations[i]);
  }
}

void AddRequests(const stats::Snapshot& snapshot, Families& families) {
  families.Counter("parityd_requests_total", "Requests answered, by the code of the answer.");
  ForEachOperation(snapshot, [&](const auto& service, size_t operation, const auto& counts) {
    for (size_t code = 0; code < stats::kCodes; ++code) {
      // That of success always, so that rates of both begin at the same time.
      if (code != 0 && counts.requests[code] == 0) continue;
      Labels labels = Of(service, operation);
      labels.push_back({"code", CodeName(code)});
      families.Add(std::move(labels), Value(counts.requests[code]));
    }
  });
  families.Counter("parityd_stripes_total", "Stripes of requests answered with OK.");
  ForEachOperation(snapshot, [&](const auto& service, size_t operation, const auto& counts) {
    families.Add(Of(service, operation), Value(counts.stripes));
  });
  families.Counter("parityd_source_bytes_total",
                   "Bytes of shards that requests answered with OK brought.");
  ForEachOperation(snapshot, [&](const auto& service, size_t operation, const auto& counts) {
    families.Add(Of(service, operation), Value(counts.source_bytes));
  });
  families.Counter("parityd_computed_bytes_total",
                   "Bytes of shards computed for requests answered with OK.");
  ForEachOperation(snapshot, [&](const auto& service, size_t operation, const auto& counts) {
    families.Add(Of(service, operation), Value(counts.computed_bytes));
  });
}

void AddServices(const stats::Snapshot& snapshot, Families& families) {
  families.Counter("parityd_refused_requests_total",
                   "Requests refused for want of memory or beyond a quota.");
  for (const auto& service : snapshot.services) {
    families.Add(Of(service), Value(service.refused_requests));
  }
  families.Counter("parityd_dropped_requests_total",
                   "Requests not computed, as their deadline had passed or nobody waited.");
  for (const auto& service : snapshot.services) {
    families.Add(Of(service), Value(service.dropped_requests));
  }
  families.Histogram("parityd_request_queue_seconds",
                     "From reading a request to its first slice; of one request in 16.");
  for (const auto& service : snapshot.services) families.Add(Of(service), service.queue_seconds);
  families.Histogram("parityd_request_compute_seconds",
                     "From the first slice of a request to its last; of one request in 16.");
  for (const auto& service : snapshot.services) families.Add(Of(service), service.compute_seconds);
  families.Histogram("parityd_batch_slices", "Slices of requests that were computed together.");
  for (const auto& service : snapshot.services) families.Add(Of(service), service.batch_slices);
  families.Histogram("parityd_run_bytes",
                     "Runs that the kernels got, by how their sources lie in memory.");
  for (const auto& runs : snapshot.runs) families.Add({{"alignment", runs.alignment}}, runs.bytes);
}

void AddWorkers(const stats::Snapshot& snapshot, Families& families) {
  families.Counter("parityd_worker_busy_seconds_total", "Time in which a worker did not wait.");
  for (const auto& worker : snapshot.workers) families.Add(Of(worker), worker.busy_seconds);
  families.Counter("parityd_worker_requests_total", "Requests that a worker answered.");
  for (const auto& worker : snapshot.workers) families.Add(Of(worker), Value(worker.requests));
  families.Counter("parityd_worker_source_bytes_total",
                   "Bytes of shards in requests that a worker answered with OK.");
  for (const auto& worker : snapshot.workers) families.Add(Of(worker), Value(worker.source_bytes));
  families.Gauge("parityd_worker_connections", "Connections of a worker, or clients with a ring.");
  for (const auto& worker : snapshot.workers) families.Add(Of(worker), Value(worker.connections));
}

void AddLoad(const stats::Snapshot& snapshot, Families& families) {
  families.OneGauge("parityd_held_bytes", Value(snapshot.held_bytes),
                    "Bytes of requests and answers held now.");
  families.OneGauge("parityd_held_limit_bytes", Value(snapshot.held_bytes_limit),
                    "What --max-held allows.");
  families.OneGauge("parityd_unanswered_calls", Value(snapshot.unanswered_calls),
                    "Calls and streams accepted and not yet answered.");
  families.OneGauge("parityd_connections", Value(snapshot.connections), "Connections open now.");
  families.OneGauge("parityd_connections_limit", Value(snapshot.connections_limit),
                    "What --max-connections and the limit of open files allow.");
  families.OneCounter("parityd_accepted_connections_total", Value(snapshot.accepted_connections),
                      "Connections accepted.");
  families.OneCounter("parityd_stalled_connections_total", Value(snapshot.stalled_connections),
                      "Connections closed because the peer did not read.");
  families.OneCounter("parityd_refused_connections_total", Value(snapshot.refused_connections),
                      "Connections of peers that may not connect.");
  families.OneGauge("parityd_regions", Value(snapshot.regions), "Clients that share memory now.");
  families.OneGauge("parityd_region_bytes", Value(snapshot.region_bytes),
                    "Memory shared with clients now.");
  families.OneGauge("parityd_region_limit_bytes", Value(snapshot.region_bytes_limit),
                    "What --max-shm allows.");
  families.OneCounter("parityd_refused_ring_clients_total", Value(snapshot.refused_ring_clients),
                      "Clients that came for shared memory and were refused.");
  families.OneCounter("parityd_dropped_ring_clients_total", Value(snapshot.dropped_ring_clients),
                      "Clients cut off for what they wrote to their rings.");
}

void AddState(const stats::Snapshot& snapshot, Families& families) {
  families.Gauge("parityd_build_info", "1, with what runs here as labels.");
  families.Add({{"version", snapshot.version},
                {"revision", snapshot.revision},
                {"kernels", snapshot.kernels}},
               1);
  families.OneGauge("parityd_serving", snapshot.serving ? 1 : 0, "What grpc.health.v1 says.");
  families.OneGauge("parityd_draining", snapshot.draining ? 1 : 0, "Whether it is stopping.");
  families.OneGauge("parityd_drain_started_timestamp_seconds", snapshot.drain_started_seconds,
                    "When it began to stop, in seconds since 1970; 0: it has not.");
  if (snapshot.certificates.empty()) return;
  families.Gauge("parityd_certificate_expiry_timestamp_seconds",
                 "When the first certificate of a file ends, in seconds since 1970.");
  for (const auto& certificate : snapshot.certificates) {
    families.Add({{"role", certificate.role}}, certificate.not_after_seconds);
  }
}

void AddProcess(const ProcessFacts& process, Families& families) {
  families.Gauge("parityd_node_memory_bytes", "Resident memory of the process on a NUMA node.");
  for (const auto& [node, bytes] : process.node_bytes) {
    families.Add({{"node", std::to_string(node)}}, Value(bytes));
  }
  if (process.throttling.has_value()) {
    families.OneCounter("parityd_cpu_periods_total", Value(process.throttling->periods),
                        "Periods of the CPU quota in which there was something to run.");
    families.OneCounter("parityd_cpu_throttled_periods_total",
                        Value(process.throttling->throttled_periods),
                        "Those in which the CPU quota was used up.");
    families.OneCounter("parityd_cpu_throttled_seconds_total",
                        process.throttling->throttled_seconds,
                        "Time for which threads waited for the CPU quota.");
  }
  families.OneCounter("process_cpu_seconds_total", process.cpu_seconds,
                      "CPU time of the process, in user and system.");
  families.OneGauge("process_resident_memory_bytes", Value(process.resident_bytes),
                    "Resident memory.");
  families.OneGauge("process_open_fds", Value(process.open_files), "Open file descriptors.");
  families.OneGauge("process_max_fds", Value(process.max_open_files),
                    "The limit of open file descriptors.");
  families.OneGauge("process_threads", Value(process.threads), "Threads of the process.");
  families.OneGauge("process_start_time_seconds", process.start_seconds,
                    "When the process was started, in seconds since 1970.");
}

}  // namespace

const char* CodeName(size_t code) {
  static constexpr const char* kNames[stats::kCodes] = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "UNAUTHENTICATED",
  };
  return code < stats::kCodes ? kNames[code] : "UNKNOWN";
}

const char* TransportName(stats::Transport transport) {
  return transport == stats::Transport::kRing ? "ring" : "grpc";
}

std::string Exposition(const stats::Snapshot& snapshot, const ProcessFacts& process) {
  Families families;
  AddState(snapshot, families);
  AddRequests(snapshot, families);
  AddServices(snapshot, families);
  AddLoad(snapshot, families);
  AddWorkers(snapshot, families);
  AddProcess(process, families);
  return families.Text();
}

}  // namespace parity::metrics
