#include "shm_coder.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace parity::client {
namespace {

// After an attempt to get a ring has failed, calls go inline for so long.
constexpr absl::Duration kAttemptInterval = absl::Seconds(1);

// The longest that one attempt may take; and no more than half of what a call has left, so that
// it can still be made inline.
constexpr absl::Duration kMostConnectTime = absl::Seconds(5);

constexpr int kAttempts = 2;

// Part of the region asked for that is asked for next if the server has no room for all of it.
constexpr uint64_t kLessWhereThereIsLittle = 8;

void WriteNotice(const std::string& text) {
  std::fprintf(stderr, "parityd client: %s\n", text.c_str());
}

RingOptions RingOptionsOf(const std::string& target, const ConnectionOptions& options) {
  RingOptions ring;
  ring.target = target;
  ring.region_bytes = options.region_bytes;
  ring.spin = options.spin;
  return ring;
}

}  // namespace

ShmCoder::ShmCoder(const std::string& target, const ConnectionOptions& options)
    : options_(RingOptionsOf(target, options)),
      notice_(options.notice ? options.notice : WriteNotice) {}

ShmCoder::~ShmCoder() {
  if (ring_ != nullptr) ring_->Lose(absl::CancelledError("the coder is gone"));
}

std::shared_ptr<SharedRing> ShmCoder::GetRing(absl::Time deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    if (ring_ != nullptr && !ring_->is_lost()) return ring_;
    if (!connecting_) break;
    if (absl::Now() >= deadline) return nullptr;
    connected_.wait_until(lock, absl::ToChronoTime(deadline));
  }
  ring_ = nullptr;
  const absl::Time now = absl::Now();
  if (now < next_attempt_ || now >= deadline) return nullptr;
  connecting_ = true;
  lock.unlock();
  RingOptions options = options_;
  options.connect_timeout = std::min(kMostConnectTime, (deadline - now) / 2);
  absl::StatusOr<std::shared_ptr<SharedRing>> ring = SharedRing::Connect(options);
  // A server with little memory may have some.
  if (absl::IsResourceExhausted(ring.status())) {
    options.region_bytes /= kLessWhereThereIsLittle;
    options.connect_timeout -= absl::Now() - now;
    absl::StatusOr<std::shared_ptr<SharedRing>> smaller = SharedRing::Connect(options);
    if (smaller.ok()) ring = std::move(smaller);
  }
  lock.lock();
  connecting_ = false;
  if (ring.ok()) {
    ring_ = *std::move(ring);
  } else {
    failure_ = ring.status();
    next_attempt_ = absl::Now() + kAttemptInterval;
  }
  connected_.notify_all();
  return ring_;
}

std::optional<absl::Status> ShmCoder::Run(StripeRun& run, absl::Time deadline) {
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::shared_ptr<SharedRing> ring = GetRing(deadline);
    if (ring == nullptr) return std::nullopt;
    status = run.Run(*ring, deadline);
    if (absl::IsResourceExhausted(status)) return std::nullopt;
    if (absl::IsDeadlineExceeded(status)) {
      return absl::DeadlineExceededError(
          absl::StrCat(options_.target, ": no answer by shared memory in time"));
    }
    if (!absl::IsUnavailable(status)) return status;
  }
  return absl::UnavailableError(absl::StrCat(options_.target, ": ", status.message()));
}

absl::StatusOr<Buffer> ShmCoder::Allocate(size_t bytes, absl::Time deadline) {
  std::shared_ptr<SharedRing> ring = GetRing(deadline);
  if (ring != nullptr && ring->IsGone()) {
    ring->Lose(absl::UnavailableError("the server has closed the connection"));
    ring = GetRing(deadline);
  }
  uint8_t* const data = ring == nullptr ? nullptr : ring->pages().Allocate(bytes);
  if (data == nullptr) return AllocateBuffer(bytes);
  std::shared_ptr<void> owner(data, [ring, bytes](void* memory) {
    ring->pages().Free(static_cast<uint8_t*>(memory), bytes);
  });
  return Buffer(data, bytes, true, std::move(owner));
}

bool ShmCoder::IsUsable() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return connecting_ || failure_.ok() || (ring_ != nullptr && !ring_->is_lost());
}

void ShmCoder::AnsweredInline() {
  std::string text;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (has_given_notice_ || failure_.ok()) return;
    has_given_notice_ = true;
    text = absl::StrCat("stripes are sent over the socket: ", failure_.message());
  }
  notice_(text);
}

}  // namespace parity::client
