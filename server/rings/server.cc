#include "parity/rings/server.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "lobby.h"
#include "parity/endpoint/endpoint.h"
#include "parity/engine/node_crew.h"
#include "parity/listen/listener.h"
#include "parity/shm/handshake.h"
#include "ring_worker.h"

namespace parity::rings {
namespace {

class ServerOnWorkers final : public Server {
 public:
  explicit ServerOnWorkers(const ServerOptions& options)
      : limits_(options.limits),
        regions_(std::make_shared<region::RegionTable>()),
        shared_{*options.table, options.limits.spin, regions_} {
    for (size_t id = 0; id < options.plan.workers.size(); ++id) {
      const engine::WorkerPlan::Worker& place = options.plan.workers[id];
      engine::NodeCrew<RingWorker>& crew = crews_[place.node];
      workers_.push_back(std::make_unique<RingWorker>(id, place, shared_, crew));
      crew.Add(*workers_.back());
    }
  }

  ~ServerOnWorkers() override { Stop(absl::ZeroDuration()); }

  absl::Status Start(std::vector<listen::Listener> listeners, const ServerOptions& options) {
    std::vector<RingWorker*> workers;
    for (const auto& worker : workers_) {
      if (absl::Status status = worker->Start(); !status.ok()) return status;
      workers.push_back(worker.get());
    }
    lobby_ = std::make_unique<Lobby>(std::move(listeners),
                                     Lobby::Options{options.plan, options.limits, options.peers},
                                     std::move(workers), regions_);
    return lobby_->Start();
  }

  std::shared_ptr<const region::RegionTable> regions() const override { return regions_; }

  Stats GetStats() const override {
    Stats stats;
    stats.service.transport = stats::Transport::kRing;
    stats.regions = regions_->size();
    stats.region_bytes = lobby_->budget().held_bytes();
    stats.refused_clients = lobby_->refused_clients();
    for (size_t id = 0; id < workers_.size(); ++id) {
      const RingWorker& worker = *workers_[id];
      const Counters& counters = worker.counters();
      stats.dropped_clients += counters.dropped_clients.value();
      stats.service.dropped_requests += counters.dropped_requests.value();
      worker.work().AddTo(stats.service);
      stats::Worker described;
      described.id = static_cast<uint32_t>(id);
      described.transport = stats::Transport::kRing;
      described.cpu = worker.place().cpu;
      described.node = worker.place().node;
      described.busy_seconds = counters.busy.busy_seconds();
      described.connections = worker.rings();
      counters.answers.AddTo(stats.service.operations, described);
      stats.workers.push_back(described);
    }
    return stats;
  }

  std::vector<const codec::RunCounts*> runs() const override {
    std::vector<const codec::RunCounts*> runs;
    for (const auto& worker : workers_) runs.push_back(&worker->work().runs());
    return runs;
  }

  const Limits& limits() const override { return limits_; }

  void Stop(absl::Duration grace) override {
    if (lobby_ != nullptr) lobby_->Stop();
    const absl::Time deadline = absl::Now() + grace;
    for (const auto& worker : workers_) worker->BeginStop(deadline);
    for (const auto& worker : workers_) worker->Join();
  }

 private:
  const Limits limits_;
  const std::shared_ptr<region::RegionTable> regions_;
  const RingWorker::Shared shared_;
  std::map<uint32_t, engine::NodeCrew<RingWorker>> crews_;  // by node
  std::vector<std::unique_ptr<RingWorker>> workers_;
  std::unique_ptr<Lobby> lobby_;  // last: it hands clients to the workers
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  std::vector<listen::Listener> listeners;
  for (const std::string& path : options.paths) {
    const absl::StatusOr<endpoint::Endpoint> endpoint =
        endpoint::Parse("listen", absl::StrCat("unix:", path, shm::kPathSuffix));
    if (!endpoint.ok()) return endpoint.status();
    absl::StatusOr<listen::Listener> listener =
        listen::Listener::Open(*endpoint, listen::Carries::kPackets, options.peers);
    if (!listener.ok()) return listener.status();
    listeners.push_back(*std::move(listener));
  }
  auto server = std::make_unique<ServerOnWorkers>(options);
  if (absl::Status status = server->Start(std::move(listeners), options); !status.ok()) {
    return status;
  }
  return server;
}

}  // namespace parity::rings
