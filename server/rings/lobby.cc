#include "lobby.h"

#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"
#include "parity/engine/memory_headroom.h"
#include "parity/engine/memory_policy.h"
#include "parity/engine/pinning.h"
#include "parity/listen/peer.h"
#include "ring_worker.h"
#include "spdlog/spdlog.h"

namespace parity::rings {
namespace {

using codec::FieldError;
using codec::InvalidField;
using endpoint::Descriptor;

// How long listening pauses when a connection cannot be accepted.
constexpr int kRetryAcceptMs = 100;

// Connections accepted at a time.
constexpr int kMostAccepted = 64;

// Memory that making a region must leave, for all that the process does besides.
constexpr uint64_t kReservedBytes = uint64_t{64} << 20;

constexpr std::chrono::seconds kRefusalLineInterval{10};

// Whether there is something to read: a message, or that the peer has gone.
bool HasSpoken(int socket) {
  return recv(socket, nullptr, 0, MSG_PEEK | MSG_DONTWAIT) != -1 || errno != EAGAIN;
}

bool HasGone(int socket) {
  pollfd state = {socket, POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0;
}

}  // namespace

Lobby::Lobby(std::vector<listen::Listener> listeners, Options options,
             std::vector<RingWorker*> workers, std::shared_ptr<region::RegionTable> regions)
    : options_(std::move(options)),
      workers_(std::move(workers)),
      regions_(std::move(regions)),
      budget_(std::make_shared<engine::ByteBudget>(options_.limits.max_regions_bytes)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      listeners_(std::move(listeners)) {}

Lobby::~Lobby() { Stop(); }

void Lobby::Stop() {
  if (!thread_.joinable()) return;
  ending_ = true;
  eventfd_write(wake_.get(), 1);
  thread_.join();
  listeners_.clear();
  guests_.clear();
}

absl::Status Lobby::Start() {
  absl::Status status = Watch(wake_.get());
  if (memory_.fd() != -1) status.Update(Watch(memory_.fd()));
  for (const listen::Listener& listener : listeners_) status.Update(Watch(listener.fd()));
  if (status.ok()) thread_ = std::thread(&Lobby::Run, this);
  return status;
}

absl::Status Lobby::Watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "epoll_ctl");
}

void Lobby::Run() {
  engine::NameThread("lobby");
  std::array<epoll_event, 64> events;
  while (!ending_) {
    const int count = epoll_wait(epoll_.get(), events.data(), events.size(), PatienceMs());
    bool room = true;
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      const auto listener =
          std::find_if(listeners_.begin(), listeners_.end(),
                       [fd](const listen::Listener& each) { return each.fd() == fd; });
      if (listener != listeners_.end()) {
        room = AcceptFrom(*listener) && room;
      } else if (fd == memory_.fd()) {
        memory_.Update();
      } else if (fd != wake_.get()) {
        Handle(fd);
      }
    }
    SetListening(room);
    const Clock::time_point now = Clock::now();
    for (auto guest = guests_.begin(); guest != guests_.end();) {
      // One that has spoken meanwhile is heard first: making memory for others can take long.
      const bool late = guest->second.deadline <= now && !HasSpoken(guest->first);
      guest = late ? guests_.erase(guest) : std::next(guest);
    }
  }
}

int Lobby::PatienceMs() const {
  Clock::time_point next = Clock::time_point::max();
  for (const auto& guest : guests_) next = std::min(next, guest.second.deadline);
  int64_t patience = listening_ ? INT_MAX : kRetryAcceptMs;
  if (next != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    patience = std::clamp<int64_t>(left.count(), 0, patience);
  }
  return patience == INT_MAX ? -1 : static_cast<int>(patience);
}

void Lobby::SetListening(bool on) {
  if (listening_ == on) return;
  listening_ = on;
  for (const listen::Listener& listener : listeners_) {
    epoll_event event{};
    event.events = on ? uint32_t{EPOLLIN} : 0;
    event.data.fd = listener.fd();
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, listener.fd(), &event);
  }
}

bool Lobby::AcceptFrom(const listen::Listener& listener) {
  // Then back to the guests: peers that go on connecting would keep this thread here.
  for (int accepted = 0; accepted < kMostAccepted; ++accepted) {
    Descriptor socket(accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    const int fd = socket.get();
    if (fd == -1) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    absl::Status status = options_.peers.Check(fd);
    if (status.ok() && clients() >= options_.limits.max_regions) DropSilentGuest();
    if (status.ok() && clients() >= options_.limits.max_regions) {
      status = absl::ResourceExhaustedError(absl::StrCat("regions: ", clients(),
                                                         " clients have one, want fewer than ",
                                                         options_.limits.max_regions));
    }
    if (status.ok()) status = Watch(fd);
    if (!status.ok()) {
      Refuse(fd, status);
    } else {
      guests_[fd] = Guest{std::move(socket), Clock::now() + kPatience, nullptr, nullptr};
    }
  }
  return true;
}

void Lobby::DropSilentGuest() {
  auto oldest = guests_.end();
  for (auto guest = guests_.begin(); guest != guests_.end(); ++guest) {
    const bool silent = guest->second.region == nullptr;
    if (silent && (oldest == guests_.end() || guest->second.deadline < oldest->second.deadline)) {
      oldest = guest;
    }
  }
  if (oldest != guests_.end()) guests_.erase(oldest);
}

size_t Lobby::clients() const {
  size_t count = guests_.size();
  for (const RingWorker* worker : workers_) count += worker->rings();
  return count;
}

void Lobby::Handle(int fd) {
  const auto found = guests_.find(fd);
  if (found == guests_.end()) return;
  // The event may be of another connection, which had this number a moment ago.
  if (!HasSpoken(fd)) return;
  Guest& guest = found->second;
  const absl::Status status = Advance(guest);
  if (!status.ok()) Refuse(fd, status);
  // Either it is a worker's now, or it goes.
  if (!status.ok() || guest.socket.get() == -1) {
    if (!status.ok()) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
    guests_.erase(found);
  }
}

absl::Status Lobby::Advance(Guest& guest) {
  return guest.region == nullptr ? Welcome(guest) : Seal(guest);
}

absl::Status Lobby::Welcome(Guest& guest) {
  shm::Hello hello;
  if (absl::Status status = shm::Receive(guest.socket.get(), hello); !status.ok()) return status;
  if (hello.version != shm::kVersion) {
    return InvalidField("version", hello.version, absl::StrCat(shm::kVersion));
  }
  if (absl::Status status = MakeRegion(guest, hello); !status.ok()) return status;
  const region::Region& region = *guest.region;
  shm::Welcome welcome;
  welcome.region = region.id();
  welcome.region_bytes = region.bytes();
  welcome.submissions_bytes = region.submissions_bytes();
  welcome.completions_bytes = region.completions_bytes();
  welcome.node = region.node();
  guest.deadline = Clock::now() + kPatience;
  return shm::Send(guest.socket.get(), welcome, region.descriptors());
}

absl::Status Lobby::MakeRegion(Guest& guest, const shm::Hello& hello) {
  const Limits& limits = options_.limits;
  if (hello.region_bytes == 0) return InvalidField("region_bytes", 0, "at least 1 byte");
  if (hello.region_bytes > limits.max_region_bytes) {
    return FieldError(absl::StatusCode::kResourceExhausted, "region_bytes",
                      absl::StrCat(hello.region_bytes),
                      absl::StrCat("at most ", limits.max_region_bytes, " for one client"));
  }
  const uint64_t cost = region::Region::CostOf(hello.region_bytes);
  if (cost > limits.max_regions_bytes) {
    return FieldError(
        absl::StatusCode::kResourceExhausted, "region_bytes",
        absl::StrCat(cost, " with what belongs to it"),
        absl::StrCat("at most ", limits.max_regions_bytes, " for all clients together"));
  }
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(guest.socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    return absl::ErrnoToStatus(errno, "SO_PEERCRED");
  }
  memory_.Update();  // what has just been let go counts no more
  std::optional<engine::ByteBudget::Lease> lease = HolderOf(peer.uid).Take(cost);
  if (!lease.has_value()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "regions: they have ", budget_->held_bytes(), " of at most ", budget_->limit_bytes(),
        " bytes, and ", cost, " more for one user would be more than is then free"));
  }
  // The kernel would kill the process if there were less, at the first touch.
  const uint64_t headroom = engine::MemoryHeadroom();
  if (headroom < kReservedBytes || cost > headroom - kReservedBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("memory: the server has ", headroom,
                                                     " bytes left, want ", cost, " and ",
                                                     kReservedBytes, " to spare"));
  }
  guest.worker = &ChooseWorker(hello.node);
  const uint32_t node = guest.worker->place().node;
  MoveTo(node);
  absl::StatusOr<std::shared_ptr<region::Region>> region =
      region::Region::Make(regions_->NewId(), hello.region_bytes, node, *std::move(lease),
                           [&] { return !ending_ && !HasGone(guest.socket.get()); });
  if (!region.ok()) return region.status();
  guest.region = *std::move(region);
  // Where it cannot be watched, the client is trusted not to keep the memory when it goes.
  memory_.Keep(guest.region->descriptors(), guest.region->lease());
  return absl::OkStatus();
}

absl::Status Lobby::Seal(Guest& guest) {
  shm::Mapped mapped;
  if (absl::Status status = shm::Receive(guest.socket.get(), mapped); !status.ok()) return status;
  if (absl::Status status = guest.region->Seal(); !status.ok()) return status;
  const int fd = guest.socket.get();
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  // Before the client knows that it may use it.
  regions_->Add(guest.region);
  if (absl::Status status = shm::Send(fd, shm::Sealed{}); !status.ok()) {
    regions_->Remove(guest.region->id());
    return status;
  }
  guest.worker->Adopt(std::move(guest.region), std::move(guest.socket));
  return absl::OkStatus();
}

RingWorker& Lobby::ChooseWorker(int32_t node) const {
  const auto is_near = [node](const RingWorker* worker) {
    return node >= 0 && worker->place().node == static_cast<uint32_t>(node);
  };
  const bool any_near = std::any_of(workers_.begin(), workers_.end(), is_near);
  return **std::min_element(
      workers_.begin(), workers_.end(), [&](const RingWorker* a, const RingWorker* b) {
        const bool far_a = any_near && !is_near(a);
        const bool far_b = any_near && !is_near(b);
        return std::make_pair(far_a, a->rings()) < std::make_pair(far_b, b->rings());
      });
}

engine::ByteBudget::Holder& Lobby::HolderOf(uid_t user) {
  // Those who hold nothing need none.
  for (auto each = holders_.begin(); each != holders_.end();) {
    each = each->second->held_bytes() == 0 ? holders_.erase(each) : std::next(each);
  }
  auto& holder = holders_[user];
  if (holder == nullptr) holder = std::make_shared<engine::ByteBudget::Holder>(budget_);
  return *holder;
}

void Lobby::MoveTo(uint32_t node) {
  if (options_.plan.nodes.size() < 2) return;
  const auto found = std::find_if(options_.plan.nodes.begin(), options_.plan.nodes.end(),
                                  [node](const auto& each) { return each.id == node; });
  if (found == options_.plan.nodes.end()) return;
  // Either is enough; where both are refused, the memory is wherever this thread runs.
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const uint32_t cpu : found->cpus) CPU_SET(cpu, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
  engine::PreferNode(node).IgnoreError();
}

void Lobby::Refuse(int socket, const absl::Status& reason) {
  // One that has gone is told nothing.
  if (absl::IsUnavailable(reason) || absl::IsCancelled(reason)) return;
  refused_clients_.fetch_add(1, std::memory_order_relaxed);
  ++unlogged_refusals_;
  if (const Clock::time_point now = Clock::now(); now >= next_refusal_line_) {
    next_refusal_line_ = now + kRefusalLineInterval;
    spdlog::warn("shared memory for {} refused: {}; {} since the last such line",
                 listen::PeerOf(socket), std::string(reason.message()),
                 std::exchange(unlogged_refusals_, 0));
  }
  shm::Welcome welcome;
  welcome.code = static_cast<uint32_t>(reason.code());
  const absl::string_view text = reason.message();
  std::memcpy(welcome.text, text.data(), std::min(text.size(), sizeof welcome.text - 1));
  shm::Send(socket, welcome).IgnoreError();
}

}  // namespace parity::rings
