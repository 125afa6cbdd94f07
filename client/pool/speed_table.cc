#include "speed_table.h"

#include <algorithm>

namespace parity::client {
namespace {

// One call of so many takes the slower way.
constexpr uint32_t kTryOther = 64;

// A measurement counts for one in so many.
constexpr int64_t kSmoothing = 8;

}  // namespace

SpeedTable::Cell& SpeedTable::CellOf(const Request& request) {
  uint64_t bytes = BytesOf(request);
  size_t size = 0;
  while (bytes > 1 && size + 1 < kSizes) {
    bytes >>= 1;
    ++size;
  }
  return cells_[static_cast<size_t>(request.operation) * kSizes + size];
}

SpeedTable::Way SpeedTable::Choose(const Request& request) {
  Cell& cell = CellOf(request);
  const int64_t local = cell.took_ns[0].load(std::memory_order_relaxed);
  const int64_t remote = cell.took_ns[1].load(std::memory_order_relaxed);
  if (local == 0) return Way::kLocal;
  if (remote == 0) return Way::kRemote;
  const Way faster = local <= remote ? Way::kLocal : Way::kRemote;
  const uint32_t calls = cell.calls.fetch_add(1, std::memory_order_relaxed);
  if (calls % kTryOther != kTryOther - 1) return faster;
  return faster == Way::kLocal ? Way::kRemote : Way::kLocal;
}

void SpeedTable::Add(const Request& request, Way way, absl::Duration took) {
  std::atomic<int64_t>& average = CellOf(request).took_ns[static_cast<size_t>(way)];
  const int64_t ns = std::max<int64_t>(absl::ToInt64Nanoseconds(took), 1);
  const int64_t before = average.load(std::memory_order_relaxed);
  const int64_t after = before == 0 ? ns : before + (ns - before) / kSmoothing;
  average.store(std::max<int64_t>(after, 1), std::memory_order_relaxed);
}

void SpeedTable::AddFailure(const Request& request) {
  Cell& cell = CellOf(request);
  const int64_t local = cell.took_ns[0].load(std::memory_order_relaxed);
  if (local > 0) cell.took_ns[1].store(2 * local, std::memory_order_relaxed);
}

}  // namespace parity::client
