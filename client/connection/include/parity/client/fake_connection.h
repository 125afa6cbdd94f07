// A connection to no server, for a program's own tests: it computes like one, and fails as told.
//
// Key decision: what is told and what is counted belongs to a server, not to a connection, since a
// Client makes as many connections as it likes, and a server dies for all of them.
//
//   auto a = std::make_shared<FakeServer>(), b = std::make_shared<FakeServer>();
//   ClientOptions options;
//   options.targets = {"a:1", "b:1"};
//   options.connect = FakeConnect({{"a:1", a}, {"b:1", b}});
//   ...
//   a->Next(FakeOutcome::PushesBack(absl::Milliseconds(5)));
//   a->Next(FakeOutcome::Dies());
#ifndef PARITY_CLIENT_FAKE_CONNECTION_H_
#define PARITY_CLIENT_FAKE_CONNECTION_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "parity/client/buffer.h"
#include "parity/client/call_options.h"
#include "parity/client/coder.h"
#include "parity/client/connection.h"

namespace parity::client {

// What becomes of one call. Members combine: a call can wait and then fail.
struct FakeOutcome {
  struct Byte {
    size_t output;  // of the request's outputs
    size_t offset;
  };

  // What it ends with; if OK, it is computed.
  absl::Status status;
  // Of one that fails: bytes of every shard that are computed all the same, which the caller is
  // told if it has asked (Request::done).
  size_t done = 0;
  // Until released (FakeServer::Release), or the server dies, or the call's deadline passes or it
  // is cancelled.
  bool waits = false;
  // Neither the deadline nor cancellation end its waiting.
  bool ignores_deadline = false;
  // A byte that is inverted when all is computed. INTERNAL if there is none such.
  std::optional<Byte> corrupts;
  // The server dies when the call has waited.
  bool dies = false;

  static FakeOutcome Succeeds() { return {}; }
  static FakeOutcome Fails(absl::Status status);
  static FakeOutcome FailsAfter(size_t done, absl::Status status);
  static FakeOutcome Waits();
  // Waits for ever, as a frozen server's does: until the deadline, if nobody releases it.
  static FakeOutcome Freezes() { return Waits(); }
  static FakeOutcome Corrupts(size_t output, size_t offset);
  // RESOURCE_EXHAUSTED with a delay: OverloadedError.
  static FakeOutcome PushesBack(absl::Duration delay);
  // DATA_LOSS naming "shards[I]".
  static FakeOutcome LosesShard(size_t shard);
  static FakeOutcome Dies();
};

// Thread-safe.
class FakeServer {
 public:
  static constexpr uint64_t kMaxRequestBytes = uint64_t{64} << 20;

  struct Call {
    Operation operation;
    size_t shard_bytes;
    uint64_t bytes;  // BytesOf the request
    absl::Time deadline;
  };

  // `coder` computes, and must outlive it. Null: the best kernels here.
  explicit FakeServer(Coder* coder = nullptr);
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  // The outcome of the next calls that have none yet, in order of beginning.
  void Next(FakeOutcome outcome, int calls = 1);
  // That of calls for which there is no Next. At first: Succeeds.
  void Otherwise(FakeOutcome outcome);
  // The same, decided by each call. It must not call the server.
  void Otherwise(std::function<FakeOutcome(const Request&)> decide);

  // Calls end with UNAVAILABLE, those that wait among them, and GetServerInfo, until it is revived.
  // The outcomes of Next are kept.
  void Die();
  void Revive();

  // Lets through so many calls that wait, the longest waiting first, or that will wait.
  void Release(int calls = 1);
  // Lets through all that wait or will wait.
  void ReleaseAll();
  // Whether so many calls have begun, or wait now; false after a minute without.
  bool AwaitCalls(int calls);
  bool AwaitWaiting(int calls);

  // As a server's --max-message: larger requests are RESOURCE_EXHAUSTED with the field "message".
  // At first: kMaxRequestBytes. UINT64_MAX: as through shared memory, requests are not cut.
  void SetMaxRequestBytes(uint64_t bytes);
  void SetInfo(ServerInfo info);

  // All calls so far, in order of beginning; those refused because it was dead are not among them.
  std::vector<Call> calls() const;
  int calls_under_way() const;
  int most_at_once() const;
  uint64_t bytes() const;     // of all calls
  int refused_calls() const;  // because it was dead
  int connections() const;    // there are now

 private:
  friend class FakeConnection;

  // A call that has begun.
  struct Begun {
    FakeOutcome outcome;
    uint64_t deaths;  // of the server until then
  };

  absl::Status Run(const Request& request, const CallOptions& options);
  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options) const;
  absl::StatusOr<Begun> Begin(const Request& request, const CallOptions& options);
  absl::Status Go(const Begun& begun, const Request& request, const CallOptions& options);
  // How waiting has ended: OK if the call was released.
  absl::Status Wait(const Begun& begun, const CallOptions& options);
  absl::Status Compute(const FakeOutcome& outcome, const Request& request,
                       const CallOptions& options);
  bool HasDied(const Begun& begun) const;

  const std::unique_ptr<Coder> local_;  // if no other was given
  Coder& coder_;

  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  std::deque<std::pair<FakeOutcome, int>> next_;
  std::function<FakeOutcome(const Request&)> otherwise_;  // unset: Succeeds
  bool is_dead_ = false;
  uint64_t deaths_ = 0;
  uint64_t waits_begun_ = 0;      // the tickets given to calls that wait
  std::deque<uint64_t> waiting_;  // tickets
  int released_ = 0;              // calls that may go on without waiting
  bool all_released_ = false;
  uint64_t max_request_bytes_ = kMaxRequestBytes;
  ServerInfo info_{};
  std::vector<Call> calls_;
  int under_way_ = 0;
  int most_at_once_ = 0;
  uint64_t bytes_ = 0;
  int refused_calls_ = 0;
  int connections_ = 0;
};

// Thread-safe.
class FakeConnection final : public Connection {
 public:
  // To a server of its own.
  FakeConnection() : FakeConnection(std::make_shared<FakeServer>()) {}
  explicit FakeConnection(std::shared_ptr<FakeServer> server);
  ~FakeConnection() override;

  FakeServer& server() const { return *server_; }

  absl::Status Run(const Request& request, const CallOptions& options) override;
  absl::StatusOr<ServerInfo> GetServerInfo(const CallOptions& options) override;
  // Ordinary memory.
  absl::StatusOr<Buffer> Allocate(size_t bytes, const CallOptions& options) override;
  uint64_t MaxRequestBytes() override;
  absl::Time Tick(absl::Time now) override;

 private:
  const std::shared_ptr<FakeServer> server_;
  std::atomic<uint64_t> max_request_bytes_{FakeServer::kMaxRequestBytes};  // as it has learnt
};

// For ClientOptions::connect: connections to the server of an address. INVALID_ARGUMENT naming
// "targets" if it has none.
std::function<absl::StatusOr<std::unique_ptr<Connection>>(const std::string& address)> FakeConnect(
    std::map<std::string, std::shared_ptr<FakeServer>> servers);

}  // namespace parity::client

#endif  // PARITY_CLIENT_FAKE_CONNECTION_H_
