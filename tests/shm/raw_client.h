// A client on the bare protocol, which does what a client should do, or whatever a test wants.
//
// Key decision: no test framework in it, and nothing of the client library: the soak's children use
// it, and a fault there cannot hide one here.
#ifndef PARITY_TESTS_SHM_RAW_CLIENT_H_
#define PARITY_TESTS_SHM_RAW_CLIENT_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parity/endpoint/descriptor.h"
#include "parity/shm/handshake.h"
#include "parity/shm/layout.h"
#include "parity/shm/mapping.h"
#include "parity/shm/record.h"

namespace parity::shm {

// A completion, as the client has read it.
struct Ended {
  uint64_t id;
  Outcome outcome;
  uint32_t detail;
};

class RawClient {
 public:
  static constexpr std::chrono::seconds kPatience{20};
  static constexpr uint64_t kRegionBytes = 256 << 10;

  // Connects to the socket for shared memory at `path`, and says nothing. What fails here and below
  // is told by connected() and the functions' answers.
  explicit RawClient(const std::string& path);
  RawClient(RawClient&&) = default;
  RawClient& operator=(RawClient&&) = default;

  bool connected() const { return socket_.get() != -1; }
  int socket() const { return socket_.get(); }
  // Closes the connection; the memory stays mapped, and its descriptors open.
  void CloseSocket() { socket_ = endpoint::Descriptor(); }
  void CloseDescriptors() { descriptors_.clear(); }

  // The steps of the handshake. Each waits for the server's answer at most kPatience.
  bool SayHello(uint64_t region_bytes = kRegionBytes);
  bool ReceiveWelcome();  // false also if it is a refusal: see welcome()
  bool Map();
  bool SayMapped();
  bool ReceiveSealed();
  // All of them.
  bool ShakeHands(uint64_t region_bytes = kRegionBytes);

  const Welcome& welcome() const { return welcome_; }
  const std::vector<endpoint::Descriptor>& descriptors() const { return descriptors_; }
  Submissions& submissions() { return *reinterpret_cast<Submissions*>(submissions_.data()); }
  const Completions& completions() const {
    return *reinterpret_cast<const Completions*>(completions_.data());
  }
  uint8_t* data() { return data_.data(); }
  size_t bytes() const { return data_.bytes(); }

  // Words for the ring, not yet published. They wrap around; whether there is room is not looked
  // at.
  void Write(const std::vector<uint64_t>& words);
  // Lets the server see them, and wakes it if it sleeps.
  void Publish();
  // The same with any tail, now and then nonsense.
  void PublishTail(uint64_t tail);
  uint64_t tail() const { return tail_; }

  // The next completion, waited for at most `patience`; none if it does not come or the server has
  // closed the connection.
  std::optional<Ended> Take(std::chrono::milliseconds patience = kPatience);
  uint64_t taken() const { return taken_; }
  // Whether the server closes the connection within kPatience.
  bool AwaitClosed();

 private:
  bool AwaitReadable(std::chrono::milliseconds patience) const;

  endpoint::Descriptor socket_;
  std::vector<endpoint::Descriptor> descriptors_;
  Welcome welcome_;
  Mapping submissions_;
  Mapping completions_;
  Mapping data_;
  uint64_t tail_ = 0;
  uint64_t taken_ = 0;
};

// Records, header and what follows it.
std::vector<uint64_t> DefineRecord(uint16_t place, const Plan& plan, uint64_t id);
std::vector<uint64_t> RunRecord(const RecordHeader& header, const std::vector<uint64_t>& sources,
                                const std::vector<uint64_t>& outputs,
                                const std::vector<uint64_t>& lengths = {});

}  // namespace parity::shm

#endif  // PARITY_TESTS_SHM_RAW_CLIENT_H_
