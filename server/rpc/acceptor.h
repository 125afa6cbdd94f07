// Accepts connections and gives each to the worker with the fewest.
//
// Key decision: a duplicate of every connection's descriptor is kept. It tells when the connection
// ends and whether its peer reads, and shutting it down is the only way to be rid of a peer that
// has stopped reading: gRPC waits for it.
#ifndef PARITY_RPC_ACCEPTOR_H_
#define PARITY_RPC_ACCEPTOR_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/endpoint/descriptor.h"
#include "parity/listen/listener.h"
#include "parity/listen/peer_rule.h"
#include "parity/rpc/limits.h"
#include "send_queue.h"

namespace parity::rpc {

class Worker;

// What an acceptor counts, for any thread to read.
struct ConnectionCounts {
  std::atomic<uint64_t> open{0};
  // Since the start:
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> stalled{0};  // closed because the peer did not read
  std::atomic<uint64_t> refused{0};  // of peers that may not connect
};

class Acceptor {
 public:
  // How many connections `limits` and the limit of open files allow, of which each takes two.
  static uint64_t MaxConnections(const Limits& limits);

  // Starts accepting, on a thread of its own. The workers and `counts` must outlive it. Connections
  // whose peers take nothing for limits.stall_timeout are closed at most an eighth of that later;
  // the thread looks eight times in that time, for about 1 us a connection, and not at all without
  // connections. Those on Unix sockets whose peers `unix_peers` does not allow are closed at once.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Start(std::vector<listen::Listener> listeners,
                                                         std::vector<Worker*> workers,
                                                         const Limits& limits,
                                                         listen::PeerRule unix_peers,
                                                         ConnectionCounts& counts);
  // Stops accepting, as StopListening does.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Closes the listening sockets. Thread-safe, as are the next two.
  void StopListening();

  // The connections of each worker.
  std::vector<size_t> load();

  // Shuts every connection down; what gRPC has under way on them fails within milliseconds.
  void CloseConnections();

 private:
  using Clock = std::chrono::steady_clock;

  struct Connection {
    endpoint::Descriptor descriptor;
    size_t worker;
    SendQueue queue;
    Clock::time_point moved;  // when its peer was last seen to take something
    bool suspected = false;
    bool closed = false;  // shut down, not yet reported as ended
  };

  Acceptor(std::vector<listen::Listener> listeners, std::vector<Worker*> workers,
           const Limits& limits, listen::PeerRule unix_peers, ConnectionCounts& counts);
  absl::Status Watch(int fd, uint32_t events);
  void ChangeWatch(int fd, uint32_t events);
  void Run();
  // Accepts all that wait, as far as there is room, or until one is refused. False: no more room.
  bool AcceptFrom(const listen::Listener& listener);
  void LogRefusal(int fd, const absl::Status& reason);
  void SetListening(bool on);
  // Once until connections are accepted again: the attempts go on several times a second.
  void WarnOnce(const std::string& text);
  // What epoll reported of a connection.
  void Handle(int fd, uint32_t events);
  // Milliseconds until there is something to do without an event; -1: nothing.
  int PatienceMs();
  // Closes connections whose peers do not read, if it is time to look.
  void LookForStalls();
  void SawMove(Connection& connection);
  void CloseStalled(Connection& connection);

  ConnectionCounts& counts_;
  const std::vector<Worker*> workers_;
  const uint64_t max_connections_;
  const bool limited_by_files_;
  const listen::PeerRule unix_peers_;
  const Clock::duration stall_timeout_;  // zero: never
  endpoint::Descriptor epoll_;
  endpoint::Descriptor wake_;

  std::mutex mutex_;  // of the next five
  std::condition_variable stopped_;
  bool stopping_ = false;
  bool ended_ = false;
  std::unordered_map<int, Connection> connections_;
  std::vector<size_t> load_;  // connections of each worker

  // The thread's own.
  std::vector<listen::Listener> listeners_;
  bool listening_ = true;
  bool warned_ = false;
  Clock::time_point next_look_;
  Clock::time_point next_stall_line_;
  uint64_t unlogged_stalls_ = 0;
  Clock::time_point next_refusal_line_;
  uint64_t unlogged_refusals_ = 0;

  std::thread thread_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_ACCEPTOR_H_
