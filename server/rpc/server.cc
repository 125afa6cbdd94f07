#include "parity/rpc/server.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/synchronization/mutex.h"
#include "acceptor.h"
#include "google/protobuf/stubs/logging.h"
#include "grpc/grpc.h"
#include "grpc/support/log.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/resource_quota.h"
#include "parity/codec/field_error.h"
#include "parity/codec/geometry.h"
#include "parity/codec/run_counts.h"
#include "parity/engine/byte_budget.h"
#include "parity/listen/listener.h"
#include "parity/v1/parity.pb.h"
#include "parity/version/version.h"
#include "spdlog/spdlog.h"
#include "tls.h"
#include "worker.h"

namespace parity::rpc {
namespace {

// Of gRPC's quota beyond what the budget accounts for, so that a small budget leaves room for a few
// messages that are too long to be refused by name.
constexpr size_t kQuotaSlackBytes = size_t{32} << 20;

// For reflection; a call beyond them is refused with RESOURCE_EXHAUSTED.
constexpr int kMaxReflectionThreads = 4;

// Rounded up: what is not never must not read as never.
uint32_t Milliseconds(absl::Duration duration) {
  const absl::Duration up = absl::Ceil(duration, absl::Milliseconds(1));
  return static_cast<uint32_t>(std::clamp<int64_t>(absl::ToInt64Milliseconds(up), 0, UINT32_MAX));
}

void DescribeLimits(const Limits& limits, v1::GetServerInfoResponse::Limits& described) {
  described.set_max_message_bytes(limits.max_message_bytes);
  described.set_max_shards(codec::Geometry::kMaxShards);
  described.set_max_calls_per_connection(static_cast<uint32_t>(limits.max_calls_per_connection));
  described.set_max_stripes_per_message(wire::kMaxStripesPerMessage);
  described.set_max_requests_per_stream(limits.max_requests_per_stream);
  described.set_max_held_bytes(limits.max_held_bytes);
  described.set_max_connections(Acceptor::MaxConnections(limits));
  described.set_stall_timeout_ms(Milliseconds(limits.stall_timeout));
  described.set_max_connection_idle_ms(Milliseconds(limits.max_connection_idle));
  described.set_max_connection_age_ms(Milliseconds(limits.max_connection_age));
  described.set_keepalive_ms(Milliseconds(limits.keepalive));
  described.set_min_ping_interval_ms(Milliseconds(limits.min_ping_interval));
}

void DescribeRingLimits(const rings::Limits& limits, v1::GetServerInfoResponse::Limits& described) {
  described.set_max_regions(limits.max_regions);
  described.set_max_region_bytes(limits.max_region_bytes);
  described.set_max_regions_bytes(limits.max_regions_bytes);
  described.set_shm_spin_us(static_cast<uint32_t>(
      absl::ToInt64Microseconds(absl::Ceil(limits.spin, absl::Microseconds(1)))));
}

std::string DescribeServer(const ServerOptions& options,
                           const std::vector<listen::Listener>& listeners) {
  v1::GetServerInfoResponse info;
  info.set_version(std::string(version::Version()));
  info.set_revision(std::string(version::Revision()));
  info.set_kernels(options.table->name);
  for (const std::string& name : options.usable_kernels) info.add_usable_kernels(name);
  for (const auto& worker : options.plan.workers) {
    auto* added = info.add_workers();
    added->set_cpu(worker.cpu);
    added->set_node(worker.node);
  }
  for (const auto& node : options.plan.nodes) {
    auto* added = info.add_nodes();
    added->set_id(node.id);
    added->set_memory_bytes(node.memory_bytes);
    for (uint32_t cpu : node.cpus) added->add_cpus(cpu);
  }
  DescribeLimits(options.limits, *info.mutable_limits());
  if (options.rings != nullptr) {
    DescribeRingLimits(options.rings->limits(), *info.mutable_limits());
  }
  for (const listen::Listener& listener : listeners)
    info.add_addresses(listener.endpoint().ToString());
  return info.SerializeAsString();
}

v1::Alignment ToProto(codec::Alignment alignment) {
  switch (alignment) {
    case codec::Alignment::kAligned:
      return v1::ALIGNMENT_ALIGNED;
    case codec::Alignment::kEqual:
      return v1::ALIGNMENT_EQUAL;
    case codec::Alignment::kMixed:
      return v1::ALIGNMENT_MIXED;
  }
  return v1::ALIGNMENT_UNSPECIFIED;
}

// The runs of all workers.
void AddRuns(const std::vector<const codec::RunCounts*>& counts,
             v1::GetServerStatsResponse& stats) {
  for (size_t length = 0; length < codec::RunCounts::kLengths; ++length) {
    for (const auto alignment :
         {codec::Alignment::kAligned, codec::Alignment::kEqual, codec::Alignment::kMixed}) {
      uint64_t count = 0;
      uint64_t bytes = 0;
      for (const codec::RunCounts* of_worker : counts) {
        count += of_worker->count(length, alignment);
        bytes += of_worker->bytes(length, alignment);
      }
      if (count == 0) continue;
      auto* runs = stats.add_runs();
      runs->set_max_bytes(uint64_t{1} << length);
      runs->set_alignment(ToProto(alignment));
      runs->set_count(count);
      runs->set_bytes(bytes);
    }
  }
}

// The same as distributions, of the alignments that there were.
std::vector<stats::Runs> DescribeRuns(const std::vector<const codec::RunCounts*>& counts) {
  std::vector<stats::Runs> described;
  for (const auto& [alignment, name] : {std::pair(codec::Alignment::kAligned, "aligned"),
                                        std::pair(codec::Alignment::kEqual, "equal"),
                                        std::pair(codec::Alignment::kMixed, "mixed")}) {
    stats::Runs runs;
    runs.alignment = name;
    uint64_t count = 0;
    for (size_t length = 0; length < codec::RunCounts::kLengths; ++length) {
      for (const codec::RunCounts* of_worker : counts) {
        count += of_worker->count(length, alignment);
        runs.bytes.sum += static_cast<double>(of_worker->bytes(length, alignment));
      }
      const bool is_bound = length >= 6 && length <= 26 && length % 2 == 0;  // 64 B to 64 MiB
      if (!is_bound) continue;
      runs.bytes.bounds.push_back(static_cast<double>(uint64_t{1} << length));
      runs.bytes.counts.push_back(std::exchange(count, 0));
    }
    runs.bytes.counts.push_back(count);
    described.push_back(std::move(runs));
  }
  return described;
}

// Requests of both transports, and what they came to.
void AddService(const stats::Service& service, v1::GetServerStatsResponse& stats) {
  const uint64_t good = stats::GoodRequests(service);
  stats.set_requests(stats.requests() + good);
  for (const stats::OperationCounts& counts : service.operations) {
    stats.set_stripes(stats.stripes() + counts.stripes);
    stats.set_source_bytes(stats.source_bytes() + counts.source_bytes);
  }
  stats.set_refused_requests(stats.refused_requests() + service.refused_requests);
  stats.set_dropped_requests(stats.dropped_requests() + service.dropped_requests);
  stats.set_failed_requests(stats.failed_requests() + stats::FailedRequests(service) -
                            service.refused_requests - service.dropped_requests);
  for (const uint64_t count : service.batch_slices.counts) {
    stats.set_batches(stats.batches() + count);
  }
  if (service.transport == stats::Transport::kRing) stats.set_ring_requests(good);
}

// What gRPC itself may hold: messages until they are computed, so those that are counted as held
// and as many bytes again of what is arriving. Beyond it, it cancels calls.
std::unique_ptr<const grpc::ResourceQuota> QuotaOf(const Limits& limits) {
  auto quota = std::make_unique<grpc::ResourceQuota>("parityd");
  quota->SetMaxThreads(kMaxReflectionThreads);
  quota->Resize(2 * limits.max_held_bytes + kQuotaSlackBytes);
  return quota;
}

// A library's message can hold bytes that a peer has sent: this keeps it one line of text.
std::string Printable(std::string message) {
  std::replace_if(
      message.begin(), message.end(), [](char c) { return !absl::ascii_isprint(c); }, '?');
  return message;
}

void LogFromGrpc(gpr_log_func_args* args) {
  const std::string message = Printable(args->message);
  switch (args->severity) {
    case GPR_LOG_SEVERITY_DEBUG:
      spdlog::debug("grpc: {}", message);
      return;
    case GPR_LOG_SEVERITY_INFO:
      spdlog::info("grpc: {}", message);
      return;
    case GPR_LOG_SEVERITY_ERROR:
      spdlog::error("grpc: {}", message);
      return;
  }
}

void LogFromProtobuf(google::protobuf::LogLevel, const char*, int, const std::string& message) {
  spdlog::warn("protobuf: {}", Printable(message));
}

// A worker says within this that it has nothing to finish.
constexpr absl::Duration kLeastGrace = absl::Milliseconds(100);

class ServerOnWorkers final : public Server {
 public:
  ServerOnWorkers(const ServerOptions& options, const std::vector<listen::Listener>& listeners,
                  std::shared_ptr<grpc::ServerCredentials> tls, ClientRule client_rule)
      : shared_{*options.table,
                options.limits,
                DescribeServer(options, listeners),
                [this] { return DescribeWork(); },
                std::make_shared<engine::ByteBudget>(options.limits.max_held_bytes),
                QuotaOf(options.limits),
                std::move(tls),
                options.regions,
                std::move(client_rule),
                options.reflection},
        tls_files_(options.tls),
        unix_peers_(options.unix_peers),
        rings_(options.rings) {
    for (const listen::Listener& listener : listeners) endpoints_.push_back(listener.endpoint());
    for (size_t id = 0; id < options.plan.workers.size(); ++id) {
      const engine::WorkerPlan::Worker& place = options.plan.workers[id];
      engine::NodeCrew<Worker>& crew = crews_[place.node];
      workers_.push_back(std::make_unique<Worker>(id, place, shared_, crews_));
      crew.Add(*workers_.back());
    }
  }

  // Serves the connections that come from the listeners.
  absl::Status Start(std::vector<listen::Listener> listeners) {
    std::vector<Worker*> adopters;
    for (const auto& worker : workers_) {
      if (absl::Status status = worker->Start(); !status.ok()) return status;
      adopters.push_back(worker.get());
    }
    auto acceptor = Acceptor::Start(std::move(listeners), std::move(adopters), shared_.limits,
                                    unix_peers_, connection_counts_);
    if (!acceptor.ok()) return acceptor.status();
    acceptor_ = *std::move(acceptor);
    return absl::OkStatus();
  }

  const std::vector<endpoint::Endpoint>& endpoints() const override { return endpoints_; }

  stats::Snapshot snapshot() const override {
    stats::Snapshot snapshot;
    snapshot.version = std::string(version::Version());
    snapshot.revision = std::string(version::Revision());
    snapshot.kernels = std::string(shared_.table.name);
    for (const endpoint::Endpoint& endpoint : endpoints_) {
      snapshot.addresses.push_back(endpoint.ToString());
    }
    snapshot.draining = drain_started_.load() != 0;
    snapshot.serving = !snapshot.draining;
    snapshot.drain_started_seconds = drain_started_.load();
    snapshot.services.push_back(DescribeService(snapshot.workers));
    for (const auto& worker : workers_) {
      snapshot.unanswered_calls += worker->counters().unanswered_calls.load();
    }
    snapshot.runs = DescribeRuns(RunsOfWorkers());
    snapshot.held_bytes = shared_.budget->held_bytes();
    snapshot.held_bytes_limit = shared_.budget->limit_bytes();
    snapshot.connections = connection_counts_.open;
    snapshot.connections_limit = Acceptor::MaxConnections(shared_.limits);
    snapshot.accepted_connections = connection_counts_.accepted;
    snapshot.stalled_connections = connection_counts_.stalled;
    snapshot.refused_connections = connection_counts_.refused;
    if (rings_ != nullptr) AddRings(snapshot);
    if (tls_files_.has_value()) snapshot.certificates = CertificatesOf(*tls_files_);
    return snapshot;
  }

  void AnnounceStop() override {
    double never = 0;
    const double now = absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch());
    if (!drain_started_.compare_exchange_strong(never, now)) return;  // it has been announced
    for (const auto& worker : workers_) worker->AnnounceStop();
  }

  // gRPC's own shutdown would cancel calls that are on their way, and wait for peers that do not
  // read and for clients that do not notice. So the calls are drained first, then the connections
  // are closed: a client sees its answer or UNAVAILABLE.
  void Stop(absl::Duration grace) override {
    AnnounceStop();
    acceptor_->StopListening();
    for (const auto& worker : workers_) worker->BeginDrain();
    const absl::Time deadline = absl::Now() + std::max(grace, kLeastGrace);
    for (size_t id = 0; id < workers_.size(); ++id) {
      if (!workers_[id]->AwaitAnswers(deadline)) {
        spdlog::warn("worker {} has unanswered calls after the grace period: cut off", id);
      }
    }
    acceptor_->CloseConnections();
    for (const auto& worker : workers_) worker->Shutdown();
  }

 private:
  void AddRings(stats::Snapshot& snapshot) const {
    rings::Stats rings = rings_->GetStats();
    snapshot.services.push_back(std::move(rings.service));
    snapshot.workers.insert(snapshot.workers.end(), rings.workers.begin(), rings.workers.end());
    snapshot.regions = rings.regions;
    snapshot.region_bytes = rings.region_bytes;
    snapshot.region_bytes_limit = rings_->limits().max_regions_bytes;
    snapshot.refused_ring_clients = rings.refused_clients;
    snapshot.dropped_ring_clients = rings.dropped_clients;
  }

  stats::Service DescribeService(std::vector<stats::Worker>& workers) const {
    stats::Service service;
    const std::vector<size_t> connections = acceptor_->load();
    for (size_t id = 0; id < workers_.size(); ++id) {
      const Worker& worker = *workers_[id];
      const Counters& counters = worker.counters();
      service.refused_requests += counters.refused_requests.value();
      service.dropped_requests += counters.dropped_requests.value();
      worker.work().AddTo(service);
      stats::Worker described;
      described.id = static_cast<uint32_t>(id);
      described.cpu = worker.place().cpu;
      described.node = worker.place().node;
      described.busy_seconds = counters.busy.busy_seconds();
      described.connections = connections[id];
      counters.answers.AddTo(service.operations, described);
      workers.push_back(described);
    }
    return service;
  }

  // Those of all workers, of both transports.
  std::vector<const codec::RunCounts*> RunsOfWorkers() const {
    std::vector<const codec::RunCounts*> runs;
    for (const auto& worker : workers_) runs.push_back(&worker->work().runs());
    if (rings_ != nullptr) {
      for (const codec::RunCounts* of_worker : rings_->runs()) runs.push_back(of_worker);
    }
    return runs;
  }

  // The serialised GetServerStatsResponse.
  std::string DescribeWork() const {
    const stats::Snapshot now = snapshot();
    v1::GetServerStatsResponse stats;
    for (const stats::Service& service : now.services) AddService(service, stats);
    AddRuns(RunsOfWorkers(), stats);
    stats.set_regions(now.regions);
    stats.set_regions_bytes(now.region_bytes);
    stats.set_refused_clients(now.refused_ring_clients);
    stats.set_dropped_clients(now.dropped_ring_clients);
    stats.set_held_bytes(now.held_bytes);
    stats.set_connections(now.connections);
    stats.set_stalled_connections(now.stalled_connections);
    return stats.SerializeAsString();
  }

  const Worker::Shared shared_;
  const std::optional<TlsFiles> tls_files_;
  const listen::PeerRule unix_peers_;
  const std::shared_ptr<const rings::Server> rings_;
  std::vector<endpoint::Endpoint> endpoints_;
  NodeCrews crews_;
  ConnectionCounts connection_counts_;
  std::atomic<double> drain_started_{0};  // since 1970, in seconds; 0: it does not drain
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Acceptor> acceptor_;  // last: it hands connections to the workers
};

}  // namespace

void ConfigureProcess() {
  // Poll: a descriptor is touched by its own worker alone. Read chunks: large messages arrive in
  // few slices. Either can be overridden in the environment.
  setenv("GRPC_POLL_STRATEGY", "poll", 0);
  setenv("GRPC_EXPERIMENTS", "-tcp_read_chunks", 0);
  // Deadlock detection is on in builds of Abseil with assertions, and costs on every lock.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  gpr_set_log_function(LogFromGrpc);
  google::protobuf::SetLogHandler(LogFromProtobuf);
  // For good: gRPC would end its threads with its last server and wait for them, up to 10 s for one
  // that polls for a peer that did not read.
  grpc_init();
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  // Without these, the pages of every large read are given back and faulted in again.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 2000 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  std::shared_ptr<grpc::ServerCredentials> tls;
  ClientRule client_rule;
  if (options.tls.has_value()) {
    absl::StatusOr<ClientRule> rule = ClientRule::Make(options.tls->allowed_clients);
    if (!rule.ok()) return rule.status();
    client_rule = *std::move(rule);
    if (!client_rule.empty() && options.tls->client_ca.empty()) {
      return codec::InvalidField("tls-allow", "names", "none without --tls-client-ca");
    }
    absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> loaded = LoadTls(*options.tls);
    if (!loaded.ok()) return loaded.status();
    tls = *std::move(loaded);
  }
  std::vector<listen::Listener> listeners;
  for (const endpoint::Endpoint& endpoint : options.endpoints) {
    absl::StatusOr<listen::Listener> listener =
        listen::Listener::Open(endpoint, listen::Carries::kStream, options.unix_peers);
    if (!listener.ok()) return listener.status();
    listeners.push_back(*std::move(listener));
  }
  auto server =
      std::make_unique<ServerOnWorkers>(options, listeners, std::move(tls), std::move(client_rule));
  if (absl::Status status = server->Start(std::move(listeners)); !status.ok()) return status;
  return server;
}

}  // namespace parity::rpc
