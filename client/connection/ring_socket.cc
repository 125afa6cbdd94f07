#include "ring_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/codec/field_error.h"
#include "parity/endpoint/endpoint.h"
#include "parity/shm/handshake.h"
#include "parity/shm/layout.h"

namespace parity::client {
namespace {

using codec::InvalidField;
using endpoint::Descriptor;
using shm::Mapping;

// How long to wait if the server has too many connections to accept.
constexpr absl::Duration kBacklogPause = absl::Milliseconds(2);

constexpr size_t kMemories = 3;

// As poll takes it: rounded up, at least 0.
int MillisecondsUntil(absl::Time deadline) {
  const absl::Duration left = absl::Ceil(deadline - absl::Now(), absl::Milliseconds(1));
  return static_cast<int>(std::clamp<int64_t>(absl::ToInt64Milliseconds(left), 0, INT_MAX));
}

// The handshake, from the moment there is an address. Errors lack the endpoint.
class Handshake {
 public:
  explicit Handshake(absl::Time deadline) : deadline_(deadline) {}

  absl::StatusOr<RingMemories> Run(const sockaddr_un& address, const RingOptions& options) {
    absl::Status status = Connect(address);
    if (status.ok()) status = SendHello(options);
    if (status.ok()) status = AwaitWelcome(options);
    if (status.ok()) status = MapMemories();
    if (status.ok()) status = AwaitSealed();
    if (!status.ok()) return status;
    memories_.socket = std::move(socket_);
    memories_.region_id = welcome_.region;
    memories_.node = welcome_.node;
    return std::move(memories_);
  }

 private:
  absl::Status Connect(const sockaddr_un& address) {
    socket_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (socket_.get() == -1) return Unavailable("socket");
    while (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
           0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return Unavailable("shared memory");
      if (absl::Now() >= deadline_) return LateFor("the server to accept the connection");
      absl::SleepFor(kBacklogPause);
    }
    return absl::OkStatus();
  }

  absl::Status SendHello(const RingOptions& options) {
    shm::Hello hello;
    hello.region_bytes = options.region_bytes;
    unsigned cpu = 0;
    unsigned node = 0;
    if (options.node.has_value()) {
      hello.node = static_cast<int32_t>(*options.node);
    } else if (getcpu(&cpu, &node) == 0) {
      hello.node = static_cast<int32_t>(node);
    }
    // A failure shows when the answer is awaited: a server may refuse before it reads.
    static_cast<void>(shm::Send(socket_.get(), hello));
    return absl::OkStatus();
  }

  absl::Status AwaitWelcome(const RingOptions& options) {
    absl::Status status = Await(welcome_, "the server's answer", &descriptors_);
    if (!status.ok()) return status;
    if (welcome_.code != 0) return Refusal();
    if (welcome_.version != shm::kVersion) {
      return absl::UnavailableError(
          absl::StrCat("shared memory: got version ", welcome_.version, ", want ", shm::kVersion));
    }
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const bool fits =
        welcome_.submissions_bytes >= sizeof(shm::Submissions) &&
        welcome_.completions_bytes >= sizeof(shm::Completions) &&
        welcome_.region_bytes >= options.region_bytes && welcome_.region_bytes % page == 0 &&
        welcome_.submissions_bytes <= PTRDIFF_MAX && welcome_.completions_bytes <= PTRDIFF_MAX &&
        welcome_.region_bytes <= PTRDIFF_MAX && descriptors_.size() == kMemories;
    if (fits) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("shared memory: got ", descriptors_.size(), " memories of ",
                     welcome_.submissions_bytes, ", ", welcome_.completions_bytes, " and ",
                     welcome_.region_bytes, " bytes, want ", kMemories, " that are large enough"));
  }

  absl::Status Refusal() const {
    std::string text(welcome_.text, strnlen(welcome_.text, sizeof welcome_.text));
    for (char& c : text) {
      if (c >= 0 && c < ' ') c = '?';
    }
    const bool known = welcome_.code <= static_cast<uint32_t>(absl::StatusCode::kUnauthenticated);
    return absl::Status(
        known ? static_cast<absl::StatusCode>(welcome_.code) : absl::StatusCode::kUnavailable,
        absl::StrCat("shared memory is refused: ", text));
  }

  absl::Status MapMemories() {
    absl::Status status = Map(descriptors_[0], welcome_.submissions_bytes,
                              Mapping::Access::kReadWrite, memories_.submissions);
    status.Update(Map(descriptors_[1], welcome_.completions_bytes, Mapping::Access::kRead,
                      memories_.completions));
    status.Update(
        Map(descriptors_[2], welcome_.region_bytes, Mapping::Access::kReadWrite, memories_.region));
    descriptors_.clear();
    return status;
  }

  static absl::Status Map(const Descriptor& descriptor, uint64_t bytes, Mapping::Access access,
                          Mapping& to) {
    struct stat found;
    const int seals = fcntl(descriptor.get(), F_GET_SEALS);
    if (seals == -1 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor.get(), &found) != 0 ||
        static_cast<uint64_t>(found.st_size) < bytes) {
      return absl::UnavailableError("shared memory: it is shorter than it should be, or could be");
    }
    absl::StatusOr<Mapping> mapped = Mapping::Map(descriptor.get(), bytes, access);
    if (!mapped.ok()) {
      return absl::UnavailableError(absl::StrCat("shared memory: ", mapped.status().message()));
    }
    to = *std::move(mapped);
    return absl::OkStatus();
  }

  absl::Status AwaitSealed() {
    // As with Hello, a failure shows in the answer.
    static_cast<void>(shm::Send(socket_.get(), shm::Mapped()));
    shm::Sealed sealed;
    return Await(sealed, "the memory to be sealed", nullptr);
  }

  // Receives one message. Whatever is wrong with it, there is no shared memory to be had.
  template <class Message>
  absl::Status Await(Message& message, absl::string_view what,
                     std::vector<Descriptor>* descriptors) {
    // A server that closes before it has read everything leaves an error in front of its message.
    bool after_error = false;
    for (;;) {
      pollfd readable = {socket_.get(), POLLIN, 0};
      const int ready = poll(&readable, 1, MillisecondsUntil(deadline_));
      if (ready == -1 && errno == EINTR) continue;
      if (ready == -1) return Unavailable("poll");
      if (ready == 0) return LateFor(what);
      absl::Status status = shm::Receive(socket_.get(), message, descriptors);
      if (status.ok()) return status;
      if (absl::IsResourceExhausted(status)) continue;  // nothing is there after all
      if (absl::IsUnavailable(status) && !std::exchange(after_error, true)) continue;
      return absl::UnavailableError(absl::StrCat("shared memory: ", status.message()));
    }
  }

  static absl::Status Unavailable(absl::string_view what) {
    return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
  }
  static absl::Status LateFor(absl::string_view what) {
    return absl::DeadlineExceededError(absl::StrCat("shared memory: waited too long for ", what));
  }

  const absl::Time deadline_;
  Descriptor socket_;
  shm::Welcome welcome_;
  std::vector<Descriptor> descriptors_;
  RingMemories memories_;
};

}  // namespace

absl::StatusOr<RingMemories> OpenRing(const RingOptions& options, absl::Time deadline) {
  const absl::StatusOr<endpoint::Endpoint> server = endpoint::Parse("target", options.target);
  if (!server.ok()) return server.status();
  if (!server->is_unix()) {
    return InvalidField("target", options.target, "unix:PATH: memory is shared on one host only");
  }
  if (options.region_bytes == 0) return InvalidField("region_bytes", 0, "at least 1 byte");
  const std::string path = server->path + shm::kPathSuffix;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return InvalidField("target", options.target,
                        absl::StrCat("a path of at most ",
                                     sizeof address.sun_path - sizeof shm::kPathSuffix, " bytes"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  absl::StatusOr<RingMemories> memories = Handshake(deadline).Run(address, options);
  if (memories.ok()) return memories;
  return absl::Status(memories.status().code(),
                      absl::StrCat("unix:", path, ": ", memories.status().message()));
}

}  // namespace parity::client
