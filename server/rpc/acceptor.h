// Accepts connections and gives each to the worker with the fewest.
//
// Key decision: a duplicate of every connection's descriptor is kept. It tells when the connection
// ends, and shutting it down is the only way to be rid of a peer that has stopped reading: gRPC
// waits for it.
#ifndef PARITY_RPC_ACCEPTOR_H_
#define PARITY_RPC_ACCEPTOR_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "listener.h"

namespace parity::rpc {

class Worker;

class Acceptor {
 public:
  // Starts accepting, on a thread of its own. The workers must outlive it.
  static absl::StatusOr<std::unique_ptr<Acceptor>> Start(std::vector<Listener> listeners,
                                                         std::vector<Worker*> workers);
  // Stops accepting, as StopListening does.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Closes the listening sockets. Thread-safe, as is the next one.
  void StopListening();

  // Shuts every connection down; what gRPC has under way on them fails within milliseconds.
  void CloseConnections();

 private:
  struct Connection {
    Descriptor descriptor;
    size_t worker;
  };

  Acceptor(std::vector<Listener> listeners, std::vector<Worker*> workers, size_t max_connections);
  absl::Status Watch(int fd, uint32_t events);
  void Run();
  // Accepts all that wait, as far as there is room. False: no more room.
  bool AcceptFrom(const Listener& listener);
  void SetListening(bool on);
  // Once until connections are accepted again: the attempts go on several times a second.
  void WarnOnce(const std::string& text);

  const std::vector<Worker*> workers_;
  const size_t max_connections_;
  Descriptor epoll_;
  Descriptor wake_;

  std::mutex mutex_;  // of the next five
  std::condition_variable stopped_;
  bool stopping_ = false;
  bool ended_ = false;
  std::unordered_map<int, Connection> connections_;
  std::vector<size_t> load_;  // connections of each worker

  // The thread's own.
  std::vector<Listener> listeners_;
  bool listening_ = true;
  bool warned_ = false;

  std::thread thread_;
};

}  // namespace parity::rpc

#endif  // PARITY_RPC_ACCEPTOR_H_
