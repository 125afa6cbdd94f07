#include "ring_worker.h"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/engine/pinning.h"
#include "parity/engine/thread_placement.h"
#include "parity/listen/peer.h"
#include "parity/shm/handshake.h"
#include "parity/shm/pause.h"
#include "spdlog/spdlog.h"

namespace parity::rings {
namespace {

// Rounds with work between two looks at the sockets. A round takes up to some 50 us.
constexpr uint32_t kRoundsBetweenPolls = 64;

// While it looks for work, it lets other threads of its CPU run so often.
constexpr std::chrono::microseconds kYieldInterval{2};
// A yield that takes so long let others run for their whole turn: the CPU is wanted. Whoever sleeps
// is woken before them, whoever looks waits for turn after turn; so for a while it does not look.
constexpr std::chrono::microseconds kLongYield{500};
constexpr std::chrono::milliseconds kCrowdedFor{100};

// At least so long between two lines of the log about clients that were cut off.
constexpr std::chrono::seconds kDropLineInterval{10};

}  // namespace

RingWorker::RingWorker(size_t id, engine::WorkerPlan::Worker place, const Shared& shared,
                       engine::Crew& crew)
    : id_(id),
      place_(place),
      shared_(shared),
      spin_(absl::ToChronoNanoseconds(shared.spin)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      processor_(shared.table, engine::BufferPool::Make(0), &crew) {}

RingWorker::~RingWorker() {
  BeginStop(absl::InfinitePast());
  Join();
}

absl::Status RingWorker::Start() {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_.get();
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
    return absl::ErrnoToStatus(errno, "epoll_create1, eventfd");
  }
  thread_ = std::thread(&RingWorker::Run, this);
  return absl::OkStatus();
}

void RingWorker::Adopt(std::shared_ptr<region::Region> region, endpoint::Descriptor socket) {
  ring_count_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard<std::mutex> lock(mutex_);
  newcomers_.push_back({std::move(region), std::move(socket)});
  Notify();
}

void RingWorker::TakePart(const std::shared_ptr<engine::JobShare>& share) {
  if (!idle_.exchange(false)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  offered_.push_back(share);
  Notify();
}

void RingWorker::BeginStop(absl::Time deadline) {
  const std::lock_guard<std::mutex> lock(mutex_);
  stop_asked_ = true;
  stop_deadline_ = deadline;
  Notify();
}

void RingWorker::Join() {
  if (thread_.joinable()) thread_.join();
}

void RingWorker::Notify() {
  notified_.store(true, std::memory_order_release);
  eventfd_write(wake_.get(), 1);
}

void RingWorker::Run() {
  const engine::Placement placement = engine::PlaceThread(place_);
  for (const std::string& warning : engine::NewWarnings(placement)) spdlog::warn(warning);
  engine::NameThread(absl::StrCat("ring-", id_));
  counters_.busy.BusyFrom(Clock::now());
  while (true) {
    if (notified_.exchange(false, std::memory_order_acquire)) TakeNotices();
    const bool worked = ServeOnce();
    if (stopping_ && StopIsDone()) break;
    if (++rounds_ % kRoundsBetweenPolls == 0) {
      Poll(0);
      RetireIdle();
    }
    if (worked) {
      if (std::exchange(was_idle_, false)) counters_.busy.BusyFrom(last_look_);
    } else if (!KeepsLooking()) {
      if (!std::exchange(was_idle_, false)) counters_.busy.IdleFrom(Clock::now());
      Sleep();
      counters_.busy.BusyFrom(Clock::now());
    }
  }
  while (!rings_.empty()) Drop(*rings_.begin()->second);
  while (!processor_.idle()) processor_.RunTurn();
}

void RingWorker::TakeNotices() {
  std::vector<Newcomer> newcomers;
  std::vector<std::shared_ptr<engine::JobShare>> offers;
  bool stop;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    newcomers.swap(newcomers_);
    offers.swap(offered_);
    stop = stop_asked_;
  }
  for (std::shared_ptr<engine::JobShare>& share : offers) processor_.Help(std::move(share));
  for (Newcomer& newcomer : newcomers) {
    const int fd = newcomer.socket.get();
    Ring& ring = *rings_
                      .emplace(fd, std::make_unique<Ring>(std::move(newcomer.region),
                                                          std::move(newcomer.socket), counters_))
                      .first->second;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP;
    event.data.fd = fd;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) {
      Activate(ring);
    } else {
      Drop(ring);
    }
  }
  if (!stop || stopping_) return;
  stopping_ = true;
  for (const auto& entry : rings_) {
    entry.second->StopTaking();
    Activate(*entry.second);
  }
}

bool RingWorker::ServeOnce() {
  bool worked = TakeRecords();
  if (!processor_.idle()) {
    processor_.RunTurn();
    worked = true;
  }
  for (const Active& active : active_) active.ring->Publish();
  if (!leaving_.empty()) {
    leaving_.erase(std::remove_if(leaving_.begin(), leaving_.end(),
                                  [](const auto& ring) { return ring->under_way() == 0; }),
                   leaving_.end());
  }
  return worked;
}

bool RingWorker::TakeRecords() {
  bool any = false;
  for (size_t i = 0; i < active_.size();) {
    Ring& ring = *active_[i].ring;
    const absl::StatusOr<bool> taken = ring.TakeRecords(processor_);
    if (!taken.ok()) {
      DropBroken(ring, taken.status());  // takes it from active_
      continue;
    }
    if (*taken || ring.under_way() > 0) active_[i].last_work = Clock::time_point::max();
    any = any || *taken;
    ++i;
  }
  return any;
}

bool RingWorker::KeepsLooking() {
  if (spin_ == spin_.zero() || active_.empty()) return false;
  const Clock::time_point now = Clock::now();
  last_look_ = now;
  if (!was_idle_) {
    was_idle_ = true;
    counters_.busy.IdleFrom(now);
    idle_since_ = now;
    last_yield_ = now;
    idle_.store(true);
  }
  if (now - idle_since_ > spin_ || now < crowded_until_) return false;
  if (now - last_yield_ > kYieldInterval) {
    sched_yield();
    last_yield_ = Clock::now();
    if (last_yield_ - now > kLongYield) crowded_until_ = last_yield_ + kCrowdedFor;
  } else {
    shm::Pause();
  }
  return true;
}

void RingWorker::Sleep() {
  for (const Active& active : active_) active.ring->SetSleeps(true);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const bool any = std::any_of(active_.begin(), active_.end(),
                               [](const Active& active) { return active.ring->HasRecords(); });
  if (any) {
    for (const Active& active : active_) active.ring->SetSleeps(false);
    return;
  }
  active_.clear();
  if (stopping_) return;
  idle_.store(true);
  // Not if a look at the sockets has taken the wake-up of a notice that came since.
  if (!notified_.load(std::memory_order_acquire)) Poll(-1);
  idle_.store(false);
}

void RingWorker::Poll(int timeout_ms) {
  std::array<epoll_event, 64> events;
  const int count = epoll_wait(epoll_.get(), events.data(), events.size(), timeout_ms);
  for (int i = 0; i < count; ++i) {
    if (events[i].data.fd == wake_.get()) {
      eventfd_t ignored;
      eventfd_read(wake_.get(), &ignored);
    } else {
      Handle(events[i].data.fd, events[i].events);
    }
  }
}

void RingWorker::Handle(int fd, uint32_t events) {
  const auto found = rings_.find(fd);
  if (found == rings_.end()) return;
  Ring& ring = *found->second;
  const bool gone = (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0;
  if (gone || !shm::TakeWakes(fd)) {
    Drop(ring);
  } else {
    Activate(ring);
  }
}

void RingWorker::Activate(Ring& ring) {
  ring.SetSleeps(false);
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [&ring](const Active& active) { return active.ring == &ring; });
  if (found == active_.end()) active_.push_back({&ring, Clock::time_point::max()});
}

void RingWorker::RetireIdle() {
  const Clock::time_point now = Clock::now();
  for (size_t i = 0; i < active_.size();) {
    Active& active = active_[i];
    if (active.last_work == Clock::time_point::max()) active.last_work = now;
    if (now - active.last_work > spin_) {
      active.ring->SetSleeps(true);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (!active.ring->HasRecords()) {
        active = active_.back();
        active_.pop_back();
        continue;
      }
      active.ring->SetSleeps(false);
    }
    ++i;
  }
}

void RingWorker::DropBroken(Ring& ring, const absl::Status& reason) {
  counters_.dropped_clients.Add(1);
  ++unlogged_drops_;
  if (const Clock::time_point now = Clock::now(); now >= next_drop_line_) {
    next_drop_line_ = now + kDropLineInterval;
    spdlog::warn("shared memory of {} closed: {}; {} since the last such line",
                 listen::PeerOf(ring.socket()), std::string(reason.message()),
                 std::exchange(unlogged_drops_, 0));
  }
  Drop(ring);
}

void RingWorker::Drop(Ring& ring) {
  active_.erase(std::remove_if(active_.begin(), active_.end(),
                               [&ring](const Active& active) { return active.ring == &ring; }),
                active_.end());
  const int fd = ring.socket();
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  shared_.regions->Remove(ring.region().id());
  ring_count_.fetch_sub(1, std::memory_order_relaxed);
  ring.Close();
  const auto found = rings_.find(fd);
  std::unique_ptr<Ring> owned = std::move(found->second);
  rings_.erase(found);
  if (owned->under_way() > 0) leaving_.push_back(std::move(owned));
}

bool RingWorker::StopIsDone() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (absl::Now() >= stop_deadline_) return true;
  }
  const bool pending = std::any_of(rings_.begin(), rings_.end(), [](const auto& entry) {
    return entry.second->HasRecords() || entry.second->under_way() > 0;
  });
  return !pending && processor_.idle();
}

}  // namespace parity::rings
