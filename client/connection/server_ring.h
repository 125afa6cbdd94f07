// Ring as it is, with what sharing it among threads takes (shared_ring.h).
#ifndef PARITY_CLIENT_SERVER_RING_H_
#define PARITY_CLIENT_SERVER_RING_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fork_guard.h"
#include "parity/client/ring.h"
#include "parity/shm/layout.h"
#include "parity/shm/record.h"
#include "ring_socket.h"

namespace parity::client {

// Indices are kept here and never read back from the memory. What the server writes is checked: it
// can make jobs fail, but not make this read or write where it should not.
class ServerRing final : public Ring {
 public:
  // As Ring::Connect.
  static absl::StatusOr<std::unique_ptr<ServerRing>> Open(const RingOptions& options);

  ServerRing(RingMemories memories, const RingOptions& options);

  absl::Span<uint8_t> memory() override {
    return {memories_.region.data(), memories_.region.bytes()};
  }
  uint64_t region() const override { return memories_.region_id; }
  uint32_t node() const override { return memories_.node; }
  absl::Status Define(uint16_t place, const RingPlan& plan, uint64_t id) override;
  absl::Status Submit(const RingJob& job) override;
  void Publish() override;
  size_t under_way() const override { return kMaxJobs - free_; }
  absl::Span<const RingCompletion> Take(size_t most) override;
  absl::Status Wait(absl::Time deadline, size_t at_least) override;

  // Completions taken so far.
  uint64_t taken() const { return taken_; }
  // Waits until the server says that there are so many others than `taken`; whether there are, Take
  // tells.
  // Errors as of Wait. One thread may wait here while another does anything but Wait and Take.
  absl::Status AwaitOthers(uint64_t taken, size_t at_least, absl::Time deadline);
  // Whether the server has written what cannot be: nothing more will come.
  bool is_broken() const { return broken_; }
  // Whether this process was forked from the one that it belongs to. Thread-safe.
  bool IsInherited() const { return guard_.IsInherited(); }
  // Whether it has closed the connection. Thread-safe.
  bool IsClosed() const;
  // Ends the connection and wakes who waits. Thread-safe.
  void End();

 private:
  // What jobs of a plan bring.
  struct Shape {
    bool defined = false;
    Operation operation = Operation::kEncode;
    uint32_t sources = 0;  // of a stripe
    uint32_t outputs = 0;
    uint32_t parity_shards = 0;
  };
  // A job or a plan under way, for what its completion is to say.
  struct UnderWay {
    uint64_t id = 0;
    uint32_t sources = 0;  // of all stripes
    uint32_t outputs = 0;
    uint16_t plan = 0;
    bool taken = true;  // nothing is under way in this slot
  };

  static std::string ShardName(const UnderWay& job, uint32_t place);
  static absl::Status StatusOf(uint32_t outcome, uint32_t detail, const UnderWay& job);

  bool HasRoom(uint64_t words);
  // Whether so many bytes are the ring's; `offset` then says where.
  bool Find(const uint8_t* data, uint64_t bytes, uint64_t& offset) const;
  void Put(uint64_t at, uint64_t word);
  // Takes a slot for the record and writes its header at the tail. Where the rest goes.
  uint64_t Begin(shm::RecordHeader& header, const UnderWay& job);
  // Why there is no room for a record.
  absl::Status NoRoom() const;
  // Completions that are there. None once the server has written what cannot be.
  uint64_t Ready();
  // Whether the server says that there are so many others.
  bool HasOthers(uint64_t taken, size_t at_least) const;
  // The same, in several looks.
  bool SeesOthers(uint64_t taken, size_t at_least) const;
  bool Spin(uint64_t taken, size_t at_least, absl::Time deadline);
  // REQUIRES: the server knows that this sleeps.
  absl::Status Sleep(uint64_t taken, size_t at_least, absl::Time deadline);

  // A process that is forked off shares the memories and the socket, but not what is known of them:
  // if both used them, each would spoil the other's parity.
  const ForkGuard guard_;
  RingMemories memories_;
  shm::Submissions& submissions_;
  const shm::Completions& completions_;
  const std::chrono::nanoseconds spin_;
  std::chrono::steady_clock::time_point crowded_until_;  // others want this CPU

  std::array<Shape, kMaxPlans> shapes_;
  uint64_t tail_ = 0;         // words written
  uint64_t published_ = 0;    // of them
  uint64_t taken_words_ = 0;  // by the server, when last looked at
  uint64_t taken_ = 0;        // completions
  bool broken_ = false;

  bool closed_ = false;  // of who waits: the connection, by the server

  // Records bear their slot as id, so that a completion can be trusted to belong to a job.
  std::array<UnderWay, kMaxJobs> slots_;
  std::array<uint16_t, kMaxJobs> free_slots_;
  size_t free_ = kMaxJobs;
  std::vector<RingCompletion> completed_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_SERVER_RING_H_
