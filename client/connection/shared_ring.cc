#include "shared_ring.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/shm/layout.h"

namespace parity::client {
namespace {

// Staging is this much of a region, in so many pieces; a piece is no longer than that.
constexpr size_t kStagingShare = 8;
constexpr size_t kStagingPieces = 4;
constexpr size_t kMostStaging = size_t{2} << 20;

size_t PageBytes() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// Of the most that a piece of staging memory may have.
size_t StagingPiece(size_t region_bytes) {
  const size_t page = PageBytes();
  const size_t share = region_bytes / (kStagingShare * kStagingPieces) / page * page;
  return std::clamp(share, std::min(page, region_bytes), kMostStaging);
}

size_t StagingBytes(size_t region_bytes) {
  return std::min(StagingPiece(region_bytes) * kStagingPieces, region_bytes);
}

// A plan that costs next to nothing, in place of one that costs too much.
RingPlan SmallestPlan() {
  return {Operation::kEncode, *codec::Geometry::Make(codec::Code::kXor, 1, 1), {}, {}};
}

size_t FactorsOf(const codec::Geometry& geometry, size_t wanted) {
  return geometry.data_shards() * (geometry.parity_shards() + wanted);
}

template <class List, class Entry>
void Remove(List& list, const Entry& entry) {
  list.erase(std::find(list.begin(), list.end(), entry));
}

// Puts memory of this process in place of what is shared with the server.
void MakePrivate(absl::Span<uint8_t> pages) {
  if (mmap(pages.data(), pages.size(), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED) {
    return;
  }
  // To go on would be to let a server write to what the caller takes for its own.
  std::fprintf(stderr, "parityd client: cannot take memory back from a lost server: %s\n",
               std::strerror(errno));
  std::abort();
}

}  // namespace

absl::StatusOr<std::shared_ptr<SharedRing>> SharedRing::Connect(const RingOptions& options) {
  absl::StatusOr<std::unique_ptr<ServerRing>> ring = ServerRing::Open(options);
  if (!ring.ok()) return ring.status();
  return std::make_shared<SharedRing>(*std::move(ring));
}

SharedRing::SharedRing(std::unique_ptr<ServerRing> ring)
    : ring_(std::move(ring)),
      memory_(ring_->memory()),
      page_(PageBytes()),
      most_staging_(StagingPiece(memory_.size())),
      pages_(memory_.first(memory_.size() - StagingBytes(memory_.size())), page_),
      staging_(memory_.last(StagingBytes(memory_.size())), page_) {}

SharedRing::~SharedRing() = default;

absl::StatusOr<uint8_t*> SharedRing::Stage(size_t bytes, absl::Time deadline) {
  std::unique_lock<std::mutex> lock(staging_mutex_);
  const uint64_t ticket = next_ticket_++;
  staging_queue_.push_back(ticket);
  const auto leave = absl::MakeCleanup([&] {
    staging_queue_.erase(std::find(staging_queue_.begin(), staging_queue_.end(), ticket));
    if (!staging_queue_.empty()) unstaged_.notify_all();
  });
  for (;;) {
    if (lost_) return absl::UnavailableError("the ring is lost");
    if (staging_queue_.front() == ticket) {
      if (uint8_t* const data = staging_.Allocate(bytes); data != nullptr) return data;
    }
    if (absl::Now() >= deadline) {
      return absl::DeadlineExceededError("no staging memory has become free");
    }
    unstaged_.wait_until(lock, absl::ToChronoTime(deadline));
  }
}

uint8_t* SharedRing::TryStage(size_t bytes) {
  const std::lock_guard<std::mutex> lock(staging_mutex_);
  return staging_queue_.empty() ? staging_.Allocate(bytes) : nullptr;
}

void SharedRing::Unstage(uint8_t* data, size_t bytes) {
  staging_.Free(data, bytes);
  const std::lock_guard<std::mutex> lock(staging_mutex_);
  if (!staging_queue_.empty()) unstaged_.notify_all();
}

absl::Status SharedRing::Start(const Request& request, RingJob spec, Job& job,
                               absl::Time deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (lost_) return why_;
    absl::Status status = FindPlace(request, spec.plan);
    spec.id = reinterpret_cast<uintptr_t>(&job);
    if (status.ok()) status = ring_->Submit(spec);
    if (status.ok()) break;
    if (absl::IsUnavailable(status)) LoseLocked(status);
    if (!absl::IsResourceExhausted(status)) return status;
    ring_->Publish();
    if (ring_->is_broken()) {
      LoseLocked(absl::UnavailableError("the server does not keep to the protocol"));
      return why_;
    }
    status = WaitFor(lock, nullptr, deadline);
    if (!status.ok()) return status;
  }
  Link(job);
  ring_->Publish();
  return absl::OkStatus();
}

absl::Status SharedRing::Await(Job& job, absl::Time deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  absl::Status status = WaitFor(lock, &job, deadline);
  if (absl::IsDeadlineExceeded(status)) {
    LoseLocked(absl::UnavailableError("the server did not answer another call in time"));
  }
  return status;
}

absl::Status SharedRing::WaitFor(std::unique_lock<std::mutex>& lock, Job* job,
                                 absl::Time deadline) {
  std::condition_variable changed;
  const uint64_t before = completions_;
  const auto is_done = [&] { return job != nullptr ? job->done_ : completions_ != before; };
  if (job != nullptr) job->waiter_ = &changed;
  const auto leave = absl::MakeCleanup([&] {
    if (job != nullptr) job->waiter_ = nullptr;
    // Whoever leads next.
    if (!led_ && !waiting_.empty()) waiting_.front()->notify_one();
  });
  while (!is_done()) {
    if (lost_) return why_;
    if (!led_) {
      led_ = true;
      const uint64_t taken = ring_->taken();
      lock.unlock();
      absl::Status status = ring_->AwaitOthers(taken, 1, deadline);
      lock.lock();
      led_ = false;
      if (lost_) continue;
      if (status.ok()) {
        TakeAll();
      } else if (absl::IsDeadlineExceeded(status)) {
        return status;
      } else {
        LoseLocked(absl::UnavailableError(status.message()));
      }
      continue;
    }
    if (absl::Now() >= deadline) return absl::DeadlineExceededError("no completion has come");
    waiting_.push_back(&changed);
    if (job == nullptr) want_room_.push_back(&changed);
    changed.wait_until(lock, absl::ToChronoTime(deadline));
    Remove(waiting_, &changed);
    if (job == nullptr) Remove(want_room_, &changed);
  }
  return absl::OkStatus();
}

void SharedRing::TakeAll() {
  for (const RingCompletion& completion : ring_->Take(Ring::kMaxJobs)) {
    ++completions_;
    // No job lies at such an address.
    if (completion.id < Ring::kMaxPlans) {
      Place& place = places_[completion.id];
      if (!completion.status.ok() && place.plan.has_value()) {
        factors_ -= std::exchange(place.factors, 0);
        place.plan.reset();
      }
      continue;
    }
    Job& job = *reinterpret_cast<Job*>(completion.id);  // NOLINT(performance-no-int-to-ptr)
    job.status_ = completion.status;
    job.consistent_ = completion.consistent;
    job.done_ = true;
    Unlink(job);
    if (job.waiter_ != nullptr) job.waiter_->notify_one();
  }
  for (std::condition_variable* waiter : want_room_) waiter->notify_one();
  if (ring_->is_broken()) {
    LoseLocked(absl::UnavailableError("the server does not keep to the protocol"));
  }
}

void SharedRing::Lose(const absl::Status& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  LoseLocked(why);
}

void SharedRing::LoseLocked(const absl::Status& why) {
  if (lost_) return;
  why_ = why;
  {
    const std::lock_guard<std::mutex> lock(staging_mutex_);
    lost_ = true;
    unstaged_.notify_all();
  }
  ring_->End();
  while (under_way_ != nullptr) {
    Job& job = *under_way_;
    for (const absl::Span<uint8_t> pages : job.outputs_in_place) MakePrivate(pages);
    Unlink(job);
  }
  for (std::condition_variable* waiter : waiting_) waiter->notify_one();
}

absl::Status SharedRing::FindPlace(const Request& request, uint16_t& place) {
  const auto is_it = [&request](const std::optional<RingPlan>& other) {
    return other.has_value() && other->operation == request.operation &&
           request.indices == other->indices && request.wanted == other->wanted &&
           other->geometry == request.geometry;
  };
  place = last_place_;
  if (!is_it(places_[place].plan)) {
    const auto found = std::find_if(places_.begin(), places_.end(),
                                    [&](const Place& other) { return is_it(other.plan); });
    if (found != places_.end()) {
      place = static_cast<uint16_t>(found - places_.begin());
    } else {
      const size_t factors = FactorsOf(request.geometry, request.wanted.size());
      const uint16_t oldest = OldestPlace(std::nullopt, 0);
      while (factors_ - places_[oldest].factors + factors > shm::kMaxPlanFactors) {
        const RingPlan smallest = SmallestPlan();
        const uint16_t other = OldestPlace(oldest, FactorsOf(smallest.geometry, 0));
        if (other == oldest) break;  // it is too large by itself: the server says so
        if (absl::Status status = Define(other, smallest); !status.ok()) return status;
      }
      absl::Status status = Define(oldest, {request.operation,
                                            request.geometry,
                                            {request.indices.begin(), request.indices.end()},
                                            {request.wanted.begin(), request.wanted.end()}});
      if (!status.ok()) return status;
      place = oldest;
    }
  }
  places_[place].used = ++uses_;
  last_place_ = place;
  return absl::OkStatus();
}

absl::Status SharedRing::Define(uint16_t place, RingPlan plan) {
  if (absl::Status status = ring_->Define(place, plan, place); !status.ok()) return status;
  Place& defined = places_[place];
  const size_t factors = FactorsOf(plan.geometry, plan.wanted.size());
  factors_ = factors_ - defined.factors + factors;
  defined.factors = factors;
  defined.plan = std::move(plan);
  return absl::OkStatus();
}

uint16_t SharedRing::OldestPlace(std::optional<uint16_t> except, size_t factors) const {
  std::optional<uint16_t> oldest;
  for (uint16_t i = 0; i < Ring::kMaxPlans; ++i) {
    if (i == except || (except.has_value() && places_[i].factors <= factors)) continue;
    if (!oldest.has_value() || places_[i].used < places_[*oldest].used) oldest = i;
  }
  return oldest.value_or(except.value_or(0));
}

void SharedRing::Link(Job& job) {
  job.done_ = false;
  job.previous_ = nullptr;
  job.next_ = under_way_;
  if (under_way_ != nullptr) under_way_->previous_ = &job;
  under_way_ = &job;
}

void SharedRing::Unlink(Job& job) {
  (job.previous_ != nullptr ? job.previous_->next_ : under_way_) = job.next_;
  if (job.next_ != nullptr) job.next_->previous_ = job.previous_;
  job.previous_ = nullptr;
  job.next_ = nullptr;
}

}  // namespace parity::client
