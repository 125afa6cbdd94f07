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
#include <cstring>
#include <utility>

#include "parity/endpoint/socket.h"
#include "parity/engine/pinning.h"
#include "spdlog/spdlog.h"
#include "worker.h"

namespace parity::rpc {
namespace {

// Descriptors for everything but connections, of which each takes two.
constexpr size_t kReservedDescriptors = 256;

// How long listening pauses when a connection cannot be accepted. What frees a descriptor need not
// be a connection that is counted here.
constexpr int kRetryAcceptMs = 100;

size_t MaxConnections() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const size_t room =
      limit.rlim_cur > kReservedDescriptors ? limit.rlim_cur - kReservedDescriptors : 0;
  return std::max<size_t>(room / 2, 16);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Start(std::vector<Listener> listeners,
                                                          std::vector<Worker*> workers) {
  std::unique_ptr<Acceptor> acceptor(
      new Acceptor(std::move(listeners), std::move(workers), MaxConnections()));
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
                   size_t max_connections)
    : workers_(std::move(workers)),
      max_connections_(max_connections),
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

void Acceptor::StopListening() {
  std::unique_lock<std::mutex> lock(mutex_);
  stopping_ = true;
  eventfd_write(wake_.get(), 1);
  stopped_.wait(lock, [this] { return !stopping_; });
}

void Acceptor::CloseConnections() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& entry : connections_) shutdown(entry.first, SHUT_RDWR);
}

void Acceptor::SetListening(bool on) {
  if (listening_ == on) return;
  listening_ = on;
  for (const Listener& listener : listeners_) {
    epoll_event event{};
    if (on) event.events = EPOLLIN;
    event.data.fd = listener.fd();
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener.fd(), &event);
  }
}

void Acceptor::WarnOnce(const std::string& text) {
  if (!std::exchange(warned_, true)) spdlog::warn(text);
}

bool Acceptor::AcceptFrom(const Listener& listener) {
  while (true) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (connections_.size() >= max_connections_) {
      WarnOnce(fmt::format("{} connections, as many as the limit of open files allows: others wait",
                           connections_.size()));
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
    endpoint::TuneSocket(accepted.get(), listener.endpoint().is_unix());
    Descriptor duplicate(fcntl(accepted.get(), F_DUPFD_CLOEXEC, 0));
    const int fd = duplicate.get();
    if (fd == -1 || !Watch(fd, EPOLLRDHUP).ok()) {
      WarnOnce(fmt::format("connection on {} refused: {}", listener.endpoint().ToString(),
                           std::strerror(errno)));
      return false;
    }
    const size_t worker =
        static_cast<size_t>(std::min_element(load_.begin(), load_.end()) - load_.begin());
    ++load_[worker];
    connections_.emplace(fd, Connection{std::move(duplicate), worker});
    workers_[worker]->Adopt(listener.fd(), accepted.release());
  }
}

void Acceptor::Run() {
  engine::NameThread("acceptor");
  std::array<epoll_event, 64> events;
  while (true) {
    const int count =
        epoll_wait(epoll_.get(), events.data(), events.size(), listening_ ? -1 : kRetryAcceptMs);
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
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto connection = connections_.find(fd);
      if (connection == connections_.end()) continue;
      if ((events[i].events & (EPOLLHUP | EPOLLERR)) == 0) {
        // The peer will send no more, so gRPC ends the connection, but only when a write in flight
        // has ended: with a peer that does not read either, never.
        shutdown(fd, SHUT_RDWR);
        continue;
      }
      --load_[connection->second.worker];
      connections_.erase(connection);
    }
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
