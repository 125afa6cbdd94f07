#include "slices.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace parity::client {
namespace {

// Slices begin at multiples of that where they can: whole pages, and lines for the kernels.
constexpr size_t kStep = 4096;
constexpr size_t kLine = 64;

size_t ColumnsFor(const Request& request, uint64_t slice_bytes) {
  const uint64_t shards = request.shards.size() + request.outputs.size();
  const uint64_t most = std::max<uint64_t>(slice_bytes / shards, 1);
  if (most >= request.shard_bytes) return request.shard_bytes;
  const uint64_t step = most >= kStep ? kStep : most >= kLine ? kLine : 1;
  return most / step * step;
}

// The slices of one request, taken one after the other by several threads.
class Slices {
 public:
  Slices(const Request& whole, size_t columns,
         const std::function<absl::Status(const Request&)>& run)
      : whole_(whole), columns_(columns), run_(run) {}

  // Has threads of the crew help that are free, `most` of them.
  void GetHelp(Crew& crew, size_t most) {
    for (size_t i = 0; i < most; ++i) {
      AddHelpers(1);
      const bool helps = crew.TrySubmit([this] {
        RunAll();
        AddHelpers(-1);
      });
      if (helps) continue;
      AddHelpers(-1);
      return;
    }
  }

  void RunAll() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (status_.ok() && next_ < whole_.shard_bytes) {
      const size_t begin = next_;
      next_ = std::min(begin + columns_, whole_.shard_bytes);
      const RequestSlice slice(whole_, begin, next_);
      lock.unlock();
      absl::Status status = run_(slice.request());
      lock.lock();
      if (status.ok()) {
        slice.MergeReport();
      } else if (status_.ok() || begin < failed_at_) {
        status_ = std::move(status);
        failed_at_ = begin;
      }
    }
  }

  absl::Status Await() {
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [this] { return helpers_ == 0; });
    return status_;
  }

 private:
  void AddHelpers(int count) {
    const std::lock_guard<std::mutex> lock(mutex_);
    helpers_ += count;
    if (helpers_ == 0) idle_.notify_all();  // under the lock: then all may be gone
  }

  const Request& whole_;
  const size_t columns_;
  const std::function<absl::Status(const Request&)>& run_;

  std::mutex mutex_;  // of all below, and the report of the whole
  std::condition_variable idle_;
  size_t next_ = 0;
  int helpers_ = 0;  // that may still come
  absl::Status status_;
  size_t failed_at_ = 0;
};

}  // namespace

absl::Status RunSlices(const Request& request, uint64_t slice_bytes, int in_flight, Crew& crew,
                       const std::function<absl::Status(const Request& slice)>& run) {
  const size_t columns = ColumnsFor(request, slice_bytes);
  if (columns == request.shard_bytes) return run(request);
  Slices slices(request, columns, run);
  const size_t count = (request.shard_bytes + columns - 1) / columns;
  const size_t helpers = std::min<size_t>(count, static_cast<size_t>(in_flight)) - 1;
  slices.GetHelp(crew, helpers);
  slices.RunAll();
  return slices.Await();
}

}  // namespace parity::client
