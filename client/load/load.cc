#include "parity/load/load.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "parity/client/call_options.h"
#include "stripe_caller.h"

namespace parity::load {
namespace {

// How often RunLoad looks whether to end, and for how long a thread sleeps without looking.
constexpr std::chrono::milliseconds kTick{50};
constexpr int64_t kTickNs = std::chrono::nanoseconds(kTick).count();
constexpr int kTicksOfProgress = 20;

uint64_t Between(int64_t from_ns, int64_t to_ns) {
  return static_cast<uint64_t>(std::max<int64_t>(0, to_ns - from_ns));
}

void Merge(LoadResult& into, const LoadResult& part) {
  into.calls += part.calls;
  for (size_t i = 0; i < part.by_operation.size(); ++i) {
    into.by_operation[i] += part.by_operation[i];
  }
  into.data_bytes += part.data_bytes;
  for (const auto& [code, errors] : part.errors) {
    const auto [entry, is_new] = into.errors.insert({code, errors});
    if (!is_new) entry->second.count += errors.count;
  }
  into.unfinished_calls += part.unfinished_calls;
  into.latency.Merge(part.latency);
  into.service.Merge(part.service);
  into.checked_calls += part.checked_calls;
  if (!into.mismatch) into.mismatch = part.mismatch;
}

// The threads of a load, and what they share.
class Load {
 public:
  Load(client::Coder& coder, const LoadOptions& options)
      : coder_(coder),
        options_(options),
        clock_(options.clock != nullptr ? *options.clock : SteadyClock()) {
    if (options.rate) schedule_.emplace(*options.rate, options.arrivals, options.work.seed);
  }

  absl::Status MakeWorkers(const codec::Geometry& geometry) {
    for (int i = 0; i < options_.threads; ++i) {
      absl::StatusOr<std::unique_ptr<StripeCaller>> caller =
          StripeCaller::Make(geometry, options_.work, options_.work.seed + i);
      if (!caller.ok()) return caller.status();
      workers_.push_back(std::make_unique<Worker>());
      workers_.back()->caller = *std::move(caller);
    }
    return absl::OkStatus();
  }

  LoadResult Run() {
    start_ns_ = clock_.NowNs();
    measured_from_ns_ = start_ns_ + absl::ToInt64Nanoseconds(options_.warmup);
    end_ns_ = measured_from_ns_ + absl::ToInt64Nanoseconds(options_.duration);
    working_ = workers_.size();
    std::vector<std::thread> threads;
    for (const std::unique_ptr<Worker>& worker : workers_) {
      threads.emplace_back([this, &worker] { Work(*worker); });
    }
    Watch();
    for (std::thread& thread : threads) thread.join();
    return Result(std::max(end_ns_.load(), last_finish_ns_.load()));
  }

 private:
  struct Worker {
    std::unique_ptr<StripeCaller> caller;
    std::mutex mutex;  // of the next
    LoadResult counted;
  };

  void Work(Worker& worker) {
    schedule_ ? RunOpenLoop(worker) : RunClosedLoop(worker);
    const std::lock_guard<std::mutex> lock(mutex_);
    --working_;
    worker_ended_.notify_one();
  }

  void RunClosedLoop(Worker& worker) {
    while (clock_.NowNs() < end_ns_) {
      worker.caller->Prepare();
      MakeCall(worker, clock_.NowNs());
    }
  }

  // Calls that are due before the end are counted, whether or not they are made.
  void RunOpenLoop(Worker& worker) {
    for (;;) {
      const int64_t due_ns = start_ns_ + schedule_->NextNs();
      if (due_ns >= end_ns_) return;
      int64_t now_ns = clock_.NowNs();
      if (now_ns < end_ns_) {
        worker.caller->Prepare();
        while ((now_ns = clock_.NowNs()) < std::min(due_ns, end_ns_.load())) {
          clock_.SleepUntilNs(std::min(due_ns, now_ns + kTickNs));
        }
      }
      if (due_ns >= end_ns_) return;
      // What the warm-up leaves undone would delay the calls that are measured.
      if (due_ns < measured_from_ns_ && now_ns >= measured_from_ns_) continue;
      if (now_ns < end_ns_) {
        MakeCall(worker, due_ns);
      } else {
        CountUnfinished(worker, due_ns);
      }
    }
  }

  void MakeCall(Worker& worker, int64_t due_ns) {
    client::CallOptions call;
    call.cancellation = &cancellation_;
    const int64_t begin_ns = clock_.NowNs();
    const absl::Status status = worker.caller->Run(coder_, call);
    const int64_t finish_ns = clock_.NowNs();
    if (absl::IsCancelled(status) && cancellation_.is_cancelled()) {
      if (schedule_) CountUnfinished(worker, due_ns);
      return;
    }
    std::optional<Mismatch> mismatch;
    if (status.ok() && options_.work.check) mismatch = worker.caller->Check();
    if (mismatch) Stop();
    int64_t last_ns = last_finish_ns_;
    while (last_ns < finish_ns && !last_finish_ns_.compare_exchange_weak(last_ns, finish_ns)) {
    }

    const std::lock_guard<std::mutex> lock(worker.mutex);
    LoadResult& counted = worker.counted;
    if (mismatch) counted.mismatch = std::move(mismatch);
    if (status.ok() && options_.work.check) ++counted.checked_calls;
    if (due_ns < measured_from_ns_) return;
    if (!status.ok()) {
      LoadResult::Errors& errors = counted.errors[status.code()];
      if (errors.count++ == 0) errors.first = std::string(status.message());
      return;
    }
    ++counted.calls;
    ++counted.by_operation[static_cast<size_t>(worker.caller->operation())];
    counted.data_bytes += worker.caller->data_bytes();
    counted.service.Record(Between(begin_ns, finish_ns));
    if (schedule_) counted.latency.Record(Between(due_ns, finish_ns));
  }

  void CountUnfinished(Worker& worker, int64_t due_ns) {
    if (due_ns < measured_from_ns_) return;
    const std::lock_guard<std::mutex> lock(worker.mutex);
    ++worker.counted.unfinished_calls;
    worker.counted.latency.Record(Between(due_ns, end_ns_));
  }

  // Time is up now.
  void Stop() {
    int64_t end_ns = end_ns_;
    const int64_t now_ns = clock_.NowNs();
    while (now_ns < end_ns && !end_ns_.compare_exchange_weak(end_ns, now_ns)) {
    }
    cancellation_.Cancel();
  }

  // Until all threads have ended.
  void Watch() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (int tick = 1;; ++tick) {
      if (worker_ended_.wait_for(lock, kTick, [this] { return working_ == 0; })) return;
      lock.unlock();
      if (options_.is_stopped && !cancellation_.is_cancelled() && options_.is_stopped()) Stop();
      if (options_.progress && tick % kTicksOfProgress == 0) {
        options_.progress(Result(clock_.NowNs()));
      }
      lock.lock();
    }
  }

  LoadResult Result(int64_t until_ns) {
    LoadResult result;
    result.uses_shared_memory = true;
    for (const std::unique_ptr<Worker>& worker : workers_) {
      const std::lock_guard<std::mutex> lock(worker->mutex);
      Merge(result, worker->counted);
      result.uses_shared_memory &= worker->caller->uses_shared_memory();
    }
    const uint64_t measured_ns = Between(measured_from_ns_, until_ns);
    result.seconds = static_cast<double>(measured_ns) * 1e-9;
    const uint64_t answers = result.calls + result.failed_calls();
    if (!schedule_ && answers > 0) {
      result.expected_interval_ns = measured_ns * workers_.size() / answers;
      result.latency = result.service.CorrectedFor(result.expected_interval_ns);
    }
    return result;
  }

  client::Coder& coder_;
  const LoadOptions& options_;
  Clock& clock_;
  std::optional<Schedule> schedule_;  // of an open loop
  std::vector<std::unique_ptr<Worker>> workers_;
  int64_t start_ns_ = 0;
  int64_t measured_from_ns_ = 0;
  std::atomic<int64_t> end_ns_{0};
  std::atomic<int64_t> last_finish_ns_{0};
  client::Cancellation cancellation_;
  std::mutex mutex_;  // of the rest
  std::condition_variable worker_ended_;
  size_t working_ = 0;
};

}  // namespace

uint64_t LoadResult::failed_calls() const {
  uint64_t failed = 0;
  for (const auto& [code, each] : errors) failed += each.count;
  return failed;
}

absl::StatusOr<LoadResult> RunLoad(client::Coder& coder, const codec::Geometry& geometry,
                                   const LoadOptions& options) {
  Load load(coder, options);
  const absl::Status status = load.MakeWorkers(geometry);
  if (!status.ok()) return status;
  return load.Run();
}

}  // namespace parity::load
