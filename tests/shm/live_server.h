// A server for shared memory in the test's own process, and clients that check what it answers.
#ifndef PARITY_TESTS_SHM_LIVE_SERVER_H_
#define PARITY_TESTS_SHM_LIVE_SERVER_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "parity/rings/server.h"
#include "raw_client.h"

namespace parity::shm {

class LiveServer {
 public:
  // Of one worker, so that all clients meet on it.
  explicit LiveServer(const rings::Limits& limits = {});
  ~LiveServer();

  // Of the socket for shared memory.
  std::string path() const { return directory_ + "/test.sock" + kPathSuffix; }
  rings::Server& server() { return *server_; }

  // What this process holds, server and clients together.
  struct Level {
    size_t descriptors;
    uint64_t regions;
    uint64_t region_bytes;
  };
  Level level() const;
  // Waits until no more is held than then. A failure of the test if it stays more.
  void ExpectBackAt(const Level& level) const;

 private:
  std::string directory_;
  std::unique_ptr<rings::Server> server_;
};

// Does everything as it should, and compares every byte of its region, in every round, with what
// the codes' definitions say.
class HonestClient {
 public:
  HonestClient(const std::string& path, uint32_t seed);

  // Encodes, restores, verifies and updates stripes of random shapes. Failures of the test if
  // anything is not as it should be.
  void Round();

 private:
  // Places for so many shards of `bytes` each that do not overlap.
  std::vector<uint64_t> Places(size_t count, size_t bytes);
  Ended Run(uint16_t plan, uint32_t stripes, size_t bytes, const std::vector<uint64_t>& sources,
            const std::vector<uint64_t>& outputs);
  void ExpectRegion();

  RawClient client_;
  std::mt19937 random_;
  std::vector<uint8_t> expected_;  // the region
  uint64_t next_id_ = 1;
};

// One client that comes, is served as it should be, and goes.
void ExpectServes(const LiveServer& server, uint32_t seed = 1);

}  // namespace parity::shm

#endif  // PARITY_TESTS_SHM_LIVE_SERVER_H_
