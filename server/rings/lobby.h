// Where clients come to get their shared memory.
#ifndef PARITY_RINGS_LOBBY_H_
#define PARITY_RINGS_LOBBY_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "parity/endpoint/descriptor.h"
#include "parity/engine/byte_budget.h"
#include "parity/engine/worker_plan.h"
#include "parity/listen/listener.h"
#include "parity/listen/peer_rule.h"
#include "parity/region/memory_watch.h"
#include "parity/region/region.h"
#include "parity/region/region_table.h"
#include "parity/rings/limits.h"
#include "parity/shm/handshake.h"

namespace parity::rings {

class RingWorker;

// One thread accepts connections, checks who they are of, makes the memories and hands the client
// to a worker. A client that does not keep to the handshake is let go within kPatience.
class Lobby {
 public:
  static constexpr std::chrono::seconds kPatience{5};

  struct Options {
    engine::WorkerPlan plan;
    Limits limits;
    listen::PeerRule peers;
  };

  // The workers must outlive it.
  Lobby(std::vector<listen::Listener> listeners, Options options, std::vector<RingWorker*> workers,
        std::shared_ptr<region::RegionTable> regions);
  ~Lobby();
  Lobby(const Lobby&) = delete;
  Lobby& operator=(const Lobby&) = delete;

  // Starts the thread. An error of the operating system is returned as it is.
  absl::Status Start();

  // Closes the listening sockets and lets those in the handshake go. May be called again.
  void Stop();

  // For any thread.
  const engine::ByteBudget& budget() const { return *budget_; }
  uint64_t refused_clients() const { return refused_clients_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  // A client in the handshake.
  struct Guest {
    endpoint::Descriptor socket;
    Clock::time_point deadline;
    std::shared_ptr<region::Region> region;  // once it was sent
    RingWorker* worker = nullptr;
  };

  absl::Status Watch(int fd);
  void Run();
  int PatienceMs() const;
  // False if connections cannot be accepted for now.
  bool AcceptFrom(const listen::Listener& listener);
  // Makes room, if there is none: those that connect and say nothing keep nobody out.
  void DropSilentGuest();
  void SetListening(bool on);
  void Handle(int fd);
  // The next step of the handshake. Not OK: the guest is let go, and told why.
  absl::Status Advance(Guest& guest);
  absl::Status Welcome(Guest& guest);
  absl::Status MakeRegion(Guest& guest, const shm::Hello& hello);
  absl::Status Seal(Guest& guest);
  RingWorker& ChooseWorker(int32_t node) const;
  engine::ByteBudget::Holder& HolderOf(uid_t user);
  // Lets this thread's memory come from a node, as far as that can be done.
  void MoveTo(uint32_t node);
  void Refuse(int socket, const absl::Status& reason);
  size_t clients() const;

  const Options options_;
  const std::vector<RingWorker*> workers_;
  const std::shared_ptr<region::RegionTable> regions_;
  const std::shared_ptr<engine::ByteBudget> budget_;
  std::atomic<uint64_t> refused_clients_{0};
  std::atomic<bool> ending_{false};
  endpoint::Descriptor epoll_;
  endpoint::Descriptor wake_;

  // The thread's own.
  std::vector<listen::Listener> listeners_;
  bool listening_ = true;
  region::MemoryWatch memory_;
  std::unordered_map<int, Guest> guests_;  // by socket
  std::map<uid_t, std::shared_ptr<engine::ByteBudget::Holder>> holders_;
  Clock::time_point next_refusal_line_;
  uint64_t unlogged_refusals_ = 0;

  std::thread thread_;
};

}  // namespace parity::rings

#endif  // PARITY_RINGS_LOBBY_H_
