#include "stripe_pipeline.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/codec/field_error.h"

namespace parity::client {
namespace {

absl::StatusOr<Buffer> StripeMemory(size_t bytes, const ObjectOptions& options) {
  if (options.allocate == nullptr) return AllocateBuffer(bytes);
  absl::StatusOr<Buffer> memory = options.allocate(bytes);
  if (memory.ok() && memory->size() < bytes) {
    return codec::InvalidField("allocate", absl::StrCat(memory->size(), " bytes"),
                               absl::StrCat(bytes));
  }
  return memory;
}

struct Slot {
  Stripe stripe;
  bool done = false;
  absl::Status result;
};

// The threads. All functions but the threads' own are the caller's thread's.
class Workers {
 public:
  Workers(StripeSteps& steps, RunLimits& limits, uint32_t most, const StartThread& start)
      : steps_(steps), limits_(limits), most_(most), start_(start) {}

  ~Workers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    work_changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Do(Slot& slot) {
    if (!HaveThread()) {
      DoHere(slot);
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    work_.push_back(&slot);
    work_changed_.notify_one();
  }

  // In the caller's thread.
  void DoHere(Slot& slot) {
    slot.result = Work(slot.stripe);
    const std::lock_guard<std::mutex> lock(mutex_);
    SetDone(slot);
  }

  bool IsDone(const Slot& slot) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return slot.done;
  }

  void Await(const Slot& slot) {
    std::unique_lock<std::mutex> lock(mutex_);
    slot_done_.wait(lock, [&slot] { return slot.done; });
  }

  // Whether some stripe's work has ended with an error.
  bool failed() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return failed_;
  }

 private:
  // Whether there is a thread that will take one more stripe; starts one if all are busy.
  bool HaveThread() {
    bool busy;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      busy = work_.size() >= idle_;
    }
    if (busy && threads_.size() < most_) {
      try {
        threads_.push_back(start_([this] { Run(); }));
        const std::lock_guard<std::mutex> lock(mutex_);
        ++idle_;
      } catch (const std::system_error&) {
        return !threads_.empty();  // fewer threads do it too
      }
    }
    return true;
  }

  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      work_changed_.wait(lock, [this] { return ending_ || !work_.empty(); });
      if (work_.empty()) return;
      Slot& slot = *work_.front();
      work_.pop_front();
      --idle_;
      // Work is taken in order, so a stripe before this one has failed: its error is the one told.
      const bool superseded = failed_;
      lock.unlock();
      absl::Status result =
          superseded ? absl::CancelledError("another stripe has failed") : Work(slot.stripe);
      lock.lock();
      slot.result = std::move(result);
      ++idle_;
      SetDone(slot);
    }
  }

  absl::Status Work(Stripe& stripe) {
    if (absl::Status status = limits_.Check(); !status.ok()) return status;
    return steps_.Work(stripe);
  }

  // REQUIRES: mutex_ is held.
  void SetDone(Slot& slot) {
    slot.done = true;
    failed_ = failed_ || !slot.result.ok();
    slot_done_.notify_one();
  }

  StripeSteps& steps_;
  RunLimits& limits_;
  const size_t most_;
  const StartThread& start_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // of all that follows, and of the done and result of slots at work
  std::condition_variable work_changed_;
  std::condition_variable slot_done_;
  std::deque<Slot*> work_;
  size_t idle_ = 0;  // threads that work on no stripe, though they may not have begun to wait yet
  bool ending_ = false;
  bool failed_ = false;
};

class Pipeline {
 public:
  Pipeline(StripeSteps& steps, size_t stripe_bytes, const ObjectOptions& options, RunLimits& limits,
           const StartThread& start)
      : steps_(steps),
        stripe_bytes_(stripe_bytes),
        options_(options),
        limits_(limits),
        workers_(steps, limits, options.stripes_in_flight, start) {}

  absl::Status Run() {
    absl::Status beginning;
    while (true) {
      const bool first_is_done = !under_way_.empty() && workers_.IsDone(*under_way_.front());
      const bool room = under_way_.size() < options_.stripes_in_flight && !workers_.failed();
      if (more_ && room && !first_is_done) {
        beginning = Begin();
        if (!beginning.ok()) more_ = false;
      } else if (!under_way_.empty()) {
        if (absl::Status status = EndFirst(); !status.ok()) {
          limits_.Cancel();
          for (Slot* const slot : under_way_) workers_.Await(*slot);
          return status;
        }
      } else {
        return beginning;
      }
    }
  }

 private:
  absl::Status Begin() {
    if (absl::Status status = limits_.Check(); !status.ok()) return status;
    if (free_.empty()) {
      absl::StatusOr<Buffer> memory = StripeMemory(stripe_bytes_, options_);
      if (!memory.ok()) return memory.status();
      slots_.push_back(std::make_unique<Slot>());
      slots_.back()->stripe.memory = *std::move(memory);
      free_.push_back(slots_.back().get());
    }
    Slot& slot = *free_.back();
    slot.stripe.number = next_++;
    const absl::StatusOr<StripeSteps::Begun> begun = steps_.Begin(slot.stripe);
    if (!begun.ok()) return begun.status();
    more_ = *begun == StripeSteps::Begun::kMore;
    if (*begun == StripeSteps::Begun::kNone) return absl::OkStatus();
    free_.pop_back();
    under_way_.push_back(&slot);
    slot.done = false;
    const bool is_alone = under_way_.size() == 1 && (!more_ || options_.stripes_in_flight == 1);
    if (is_alone) {
      workers_.DoHere(slot);
    } else {
      workers_.Do(slot);
    }
    return absl::OkStatus();
  }

  absl::Status EndFirst() {
    Slot& slot = *under_way_.front();
    workers_.Await(slot);
    under_way_.pop_front();
    if (!slot.result.ok()) return slot.result;
    if (absl::Status status = limits_.Check(); !status.ok()) return status;
    if (absl::Status status = steps_.End(slot.stripe); !status.ok()) return status;
    free_.push_back(&slot);
    return absl::OkStatus();
  }

  StripeSteps& steps_;
  const size_t stripe_bytes_;
  const ObjectOptions& options_;
  RunLimits& limits_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
  std::deque<Slot*> under_way_;  // by number
  uint64_t next_ = 0;
  bool more_ = true;
  Workers workers_;  // the last: they use the slots
};

}  // namespace

RunLimits::RunLimits(const ObjectOptions& options)
    : options_(options), listener_(options.cancellation, [this] { calls_.Cancel(); }) {}

absl::Status RunLimits::Check() const {
  if (options_.cancellation != nullptr && options_.cancellation->is_cancelled()) {
    return absl::CancelledError("cancelled");
  }
  if (options_.deadline != absl::InfiniteFuture() && absl::Now() >= options_.deadline) {
    return absl::DeadlineExceededError("the object's deadline has passed");
  }
  return absl::OkStatus();
}

CallOptions RunLimits::ForCall() {
  absl::Time deadline = options_.deadline;
  if (options_.call_timeout != absl::InfiniteDuration()) {
    deadline = std::min(deadline, absl::Now() + options_.call_timeout);
  }
  return {deadline, &calls_, options_.traceparent};
}

std::thread StartOrdinaryThread(std::function<void()> body) { return std::thread(std::move(body)); }

absl::Status RunStripes(StripeSteps& steps, size_t stripe_bytes, const ObjectOptions& options,
                        RunLimits& limits, const StartThread& start) {
  return Pipeline(steps, stripe_bytes, options, limits, start).Run();
}

absl::Status CheckOptions(const ObjectOptions& options) {
  if (options.stripes_in_flight < 1 || options.stripes_in_flight > kMaxStripesInFlight) {
    return codec::InvalidField("stripes_in_flight", options.stripes_in_flight,
                               absl::StrCat("1 to ", kMaxStripesInFlight));
  }
  return absl::OkStatus();
}

}  // namespace parity::client
