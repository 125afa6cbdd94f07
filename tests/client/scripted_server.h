// A server of shared memory that does what a test tells it: well or badly.
#ifndef PARITY_TESTS_CLIENT_SCRIPTED_SERVER_H_
#define PARITY_TESTS_CLIENT_SCRIPTED_SERVER_H_

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "parity/client/coder.h"
#include "parity/endpoint/descriptor.h"
#include "parity/region/region.h"
#include "parity/shm/handshake.h"
#include "parity/shm/record.h"

namespace parity::client {

// Where sessions wait until the test opens it, or ends.
class Gate {
 public:
  void Open();
  void Await();

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

// One client of the fake server, in a thread of its own.
class ScriptedSession {
 public:
  ScriptedSession(endpoint::Descriptor socket, const std::atomic<bool>& ending, Gate& gate,
                  uint64_t region_id);
  // Ends the connection.
  ~ScriptedSession();

  // The handshake as it should be. False if the client has not kept to it.
  bool ShakeHands();
  // Its parts.
  bool AwaitHello();
  shm::Welcome Make();  // the memories, and what to say of them
  void SendWelcome(const shm::Welcome& welcome);
  void Refuse(absl::StatusCode code, const std::string& text);
  bool AwaitMapped();
  void SendSealed();

  // The next record, all its words; unset if the client is gone or the test ends. It counts as
  // taken only with `take`.
  std::optional<std::vector<uint64_t>> Next(bool take = true);
  void Answer(uint64_t id, shm::Outcome outcome, uint32_t detail = 0);

  // Computes what a record asks for and answers.
  void Serve(const std::vector<uint64_t>& record);
  // The answer alone, without writing anything but outputs.
  shm::Outcome Compute(const std::vector<uint64_t>& record);
  // Serves whatever comes, until the client goes.
  void ServeAll();

  // Waits until the test opens the server's gate, or ends.
  void AwaitGate() { gate_.Await(); }
  // Waits until the client is gone or the test ends.
  void AwaitGone();
  bool is_over() const;

  int socket() const { return socket_.get(); }
  const shm::Hello& hello() const { return hello_; }
  region::Region& region() { return *region_; }
  // Records taken so far.
  int records() const { return records_; }

 private:
  endpoint::Descriptor socket_;
  const std::atomic<bool>& ending_;
  Gate& gate_;
  const uint64_t region_id_;
  shm::Hello hello_;
  std::shared_ptr<region::Region> region_;
  uint64_t taken_words_ = 0;
  uint64_t completed_ = 0;
  int records_ = 0;
  std::array<std::optional<shm::Plan>, shm::kMaxPlans> plans_;
  std::unique_ptr<Coder> local_;
};

class ScriptedServer {
 public:
  using Behaviour = std::function<void(ScriptedSession&)>;

  // Listens beside a path of its own; every client meets `behaviour`.
  explicit ScriptedServer(Behaviour behaviour);
  // Beside a path that a gRPC server has.
  ScriptedServer(std::string path, Behaviour behaviour);
  ~ScriptedServer();

  std::string target() const { return "unix:" + path_; }
  int connections() const { return connections_; }
  // Lets sessions go on that wait at the gate.
  void OpenGate() { gate_.Open(); }

 private:
  void Accept();

  const std::string path_;
  const Behaviour behaviour_;
  endpoint::Descriptor listener_;
  std::atomic<bool> ending_{false};
  Gate gate_;
  std::atomic<int> connections_{0};
  std::vector<std::thread> sessions_;
  std::thread acceptor_;
};

}  // namespace parity::client

#endif  // PARITY_TESTS_CLIENT_SCRIPTED_SERVER_H_
