#include "acceptor.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "absl/time/time.h"
#include "parity/endpoint/socket.h"
#include "parity/engine/pinning.h"
#include "parity/listen/peer.h"

#include "spdlog/spdlog.h"
#include "worker.h"

namespace parity::rpc {
namespace {

using endpoint::Descriptor;
using listen::Listener;

// Descriptors for everything but connections, of which each takes two.
constexpr size_t kReservedDescriptors = 256;

// How long listening pauses when a connection cannot be accepted. What frees a descriptor need not
// be a connection that is counted here.
constexpr int kRetryAcceptMs = 100;

// Looks at each connection within the stall timeout.
constexpr int kLooks = 8;

// At least so long between two lines of the log about stalled connections, and about refused ones.
constexpr std::chrono::seconds kStallLineInterval{10};
constexpr std::chrono::seconds kRefusalLineInterval{10};

uint64_t ConnectionsThatFilesAllow() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const uint64_t room =
      limit.rlim_cur > kReservedDescriptors ? limit.rlim_cur - kReservedDescriptors : 0;
  return std::max<uint64_t>(room / 2, 16);
}

}  // namespace

uint64_t Acceptor::MaxConnections(const Limits& limits) {
  const uint64_t files_allow = ConnectionsThatFilesAllow();
  return limits.max_connections == 0 ? files_allow : std::min(limits.max_connections, files_allow);
}

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Start(std::vector<Listener> listeners,
                                                          std::vector<Worker*> workers,
                                                          const Limits& limits,
                                                          listen::PeerRule unix_peers,
                                                          ConnectionCounts& counts) {
  std::unique_ptr<Acceptor> acceptor(new Acceptor(std::move(listeners), std::move(workers), limits,
                                                  std::move(unix_peers), counts));
  if (limits.max_connections > acceptor->max_connections_) {
    spdlog::warn("max-connections: got {}, the limit of open files allows {}",
                 limits.max_connections, acceptor->max_connections_);
  }
  if (acceptor->epoll_.get() == -1 || acceptor->wake_.get() == -1) {
    return absl::ErrnoToStatus(errno, "epoll_create1, eventfd");
  }
  absl::Status status = acceptor->Watch(acceptor->wake_.get(), EPOLLIN);
  for (const Listener& listener : acceptor->listeners_) {
    status.Update(acceptor->Watch(listener.fd(), EPOLLIN));
  }
  if (!status.ok()) return status;
  acceptor->thread_ = std::thread(&Acceptor::Run, acceptor.get());
  return acceptor;
}

Acceptor::Acceptor(std::vector<Listener> listeners, std::vector<Worker*> workers,
                   const Limits& limits, listen::PeerRule unix_peers, ConnectionCounts& counts)
    : counts_(counts),
      workers_(std::move(workers)),
      max_connections_(MaxConnections(limits)),
      limited_by_files_(max_connections_ != limits.max_connections),
      unix_peers_(std::move(unix_peers)),
      stall_timeout_(absl::ToChronoNanoseconds(limits.stall_timeout)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      load_(workers_.size(), 0),
      listeners_(std::move(listeners)) {}

Acceptor::~Acceptor() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  eventfd_write(wake_.get(), 1);
  thread_.join();
}

absl::Status Acceptor::Watch(int fd, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "epoll_ctl");
}

void Acceptor::ChangeWatch(int fd, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void Acceptor::StopListening() {
  std::unique_lock<std::mutex> lock(mutex_);
  stopping_ = true;
  eventfd_write(wake_.get(), 1);
  stopped_.wait(lock, [this] { return !stopping_; });
}

std::vector<size_t> Acceptor::load() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return load_;
}

void Acceptor::CloseConnections() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& entry : connections_) shutdown(entry.first, SHUT_RDWR);
}

void Acceptor::SetListening(bool on) {
  if (listening_ == on) return;
  listening_ = on;
  for (const Listener& listener : listeners_) {
    ChangeWatch(listener.fd(), on ? uint32_t{EPOLLIN} : 0);
  }
}

void Acceptor::WarnOnce(const std::string& text) {
  if (!std::exchange(warned_, true)) spdlog::warn(text);
}

bool Acceptor::AcceptFrom(const Listener& listener) {
  while (true) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (connections_.size() >= max_connections_) {
      WarnOnce(fmt::format("{} connections, as many as {} allows: others wait", connections_.size(),
                           limited_by_files_ ? "the limit of open files" : "--max-connections"));
      return false;
    }
    // First, so that a connection is not accepted and then lost for want of it.
    Descriptor duplicate(fcntl(wake_.get(), F_DUPFD_CLOEXEC, 0));
    if (duplicate.get() == -1) {
      WarnOnce(
          fmt::format("accept on {}: {}", listener.endpoint().ToString(), std::strerror(errno)));
      return false;
    }
    Descriptor accepted(accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (accepted.get() == -1) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        warned_ = false;
        return true;
      }
      WarnOnce(
          fmt::format("accept on {}: {}", listener.endpoint().ToString(), std::strerror(errno)));
      return false;
    }
    const bool is_unix = listener.endpoint().is_unix();
    if (is_unix) {
      if (const absl::Status allowed = unix_peers_.Check(accepted.get()); !allowed.ok()) {
        counts_.refused.fetch_add(1, std::memory_order_relaxed);
        LogRefusal(accepted.get(), allowed);
        // Back to what else there is: refused connections are not limited in number, so a peer that
        // goes on connecting would keep this thread here.
        return true;
      }
    }
    endpoint::TuneSocket(accepted.get(), is_unix);
    const int fd = duplicate.get();
    if (dup3(accepted.get(), fd, O_CLOEXEC) == -1 || !Watch(fd, EPOLLRDHUP).ok()) {
      WarnOnce(fmt::format("connection on {} refused: {}", listener.endpoint().ToString(),
                           std::strerror(errno)));
      return false;
    }
    const size_t worker =
        static_cast<size_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
    ++load_[worker];
    if (spdlog::should_log(spdlog::level::debug)) {
      spdlog::debug("connection from {} to worker {}", listen::PeerOf(fd), worker);
    }
    connections_.emplace(
        fd, Connection{std::move(duplicate), worker, SendQueue(fd, is_unix), Clock::now()});
    counts_.open = connections_.size();
    counts_.accepted.fetch_add(1, std::memory_order_relaxed);
    workers_[worker]->Adopt(listener.fd(), accepted.release(), is_unix);
  }
}

void Acceptor::LogRefusal(int fd, const absl::Status& reason) {
  ++unlogged_refusals_;
  const Clock::time_point now = Clock::now();
  if (now < next_refusal_line_) return;
  next_refusal_line_ = now + kRefusalLineInterval;
  spdlog::warn("connection of {} refused: {}; {} since the last such line", listen::PeerOf(fd),
               std::string(reason.message()), std::exchange(unlogged_refusals_, 0));
}

void Acceptor::Handle(int fd, uint32_t events) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = connections_.find(fd);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    // Closing the duplicate does not do this while gRPC still has its own: events would go on, and
    // count as those of the next connection with this number.
    epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    --load_[connection.worker];
    connections_.erase(found);
    counts_.open = connections_.size();
  } else if ((events & EPOLLRDHUP) != 0) {
    // The peer will send no more, so gRPC ends the connection, but only when a write in flight has
    // ended: with a peer that does not read either, never.
    shutdown(fd, SHUT_RDWR);
  } else if (connection.suspected && connection.queue.Event()) {
    SawMove(connection);
  }
}

int Acceptor::PatienceMs() {
  const std::lock_guard<std::mutex> lock(mutex_);
  int64_t patience = listening_ ? INT_MAX : kRetryAcceptMs;
  if (!connections_.empty() && stall_timeout_ > Clock::duration::zero()) {
    const auto until_look = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
    patience = std::clamp<int64_t>(until_look.count(), 0, patience);
  }
  return patience == INT_MAX ? -1 : static_cast<int>(patience);
}

void Acceptor::SawMove(Connection& connection) {
  connection.moved = Clock::now();
  if (!std::exchange(connection.suspected, false)) return;
  connection.queue.Clear();
  ChangeWatch(connection.descriptor.get(), EPOLLRDHUP);
}

void Acceptor::LookForStalls() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (stall_timeout_ == Clock::duration::zero() || now < next_look_) return;
  next_look_ = now + stall_timeout_ / kLooks;
  for (auto& [fd, connection] : connections_) {
    if (connection.closed) continue;
    if (connection.queue.Moves()) {
      SawMove(connection);
    } else if (now - connection.moved >= stall_timeout_) {
      CloseStalled(connection);
    } else if (!std::exchange(connection.suspected, true) && connection.queue.Suspect()) {
      ChangeWatch(fd, EPOLLRDHUP | EPOLLOUT | EPOLLET);
    }
  }
}

void Acceptor::CloseStalled(Connection& connection) {
  ++counts_.stalled;
  ++unlogged_stalls_;
  const int fd = connection.descriptor.get();
  if (const Clock::time_point now = Clock::now(); now >= next_stall_line_) {
    next_stall_line_ = now + kStallLineInterval;
    spdlog::warn(
        "closing the connection of {}, which has read nothing for {:g} s; {} since the last such "
        "line",
        listen::PeerOf(fd), std::chrono::duration<double>(stall_timeout_).count(),
        std::exchange(unlogged_stalls_, 0));
  }
  connection.closed = true;
  shutdown(fd, SHUT_RDWR);
}

void Acceptor::Run() {
  engine::NameThread("acceptor");
  std::array<epoll_event, 64> events;
  while (true) {
    const int count = epoll_wait(epoll_.get(), events.data(), events.size(), PatienceMs());
    bool room = true;
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == wake_.get()) {
        eventfd_t ignored;
        eventfd_read(wake_.get(), &ignored);
        continue;
      }
      const auto listener = std::find_if(listeners_.begin(), listeners_.end(),
                                         [fd](const Listener& l) { return l.fd() == fd; });
      if (listener != listeners_.end()) {
        room = AcceptFrom(*listener) && room;
        continue;
      }
      Handle(fd, events[i].events);
    }
    LookForStalls();
    // Without room the listening sockets would be reported over and over.
    SetListening(room);

    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_ || ended_) listeners_.clear();
    stopping_ = false;
    stopped_.notify_all();
    if (ended_) return;
  }
}

}  // namespace parity::rpc
