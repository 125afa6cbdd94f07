#include "parity/engine/byte_budget.h"

#include <algorithm>

namespace parity::engine {

void ByteBudget::Lease::Reduce(uint64_t bytes) {
  if (bytes >= bytes_) return;
  holder_->GiveBack(bytes_ - bytes);
  bytes_ = bytes;
  if (bytes_ == 0) holder_ = nullptr;
}

ByteBudget::Lease ByteBudget::Lease::Split(uint64_t bytes) {
  Lease part(holder_, std::min(bytes, bytes_));
  bytes_ -= part.bytes_;
  return part;
}

std::optional<ByteBudget::Lease> ByteBudget::Holder::Take(uint64_t bytes) {
  if (bytes > budget_->limit_bytes_) return std::nullopt;
  uint64_t held = budget_->held_bytes_.load(std::memory_order_relaxed);
  const uint64_t own = held_bytes_.load(std::memory_order_relaxed) + bytes;
  do {
    const uint64_t after = held + bytes;
    if (after > budget_->limit_bytes_ || own > budget_->limit_bytes_ - after) {
      // Nothing is held: whatever is within the limit can be done, alone.
      if (held != 0) return std::nullopt;
    }
  } while (
      !budget_->held_bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
  held_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  return Lease(shared_from_this(), bytes);
}

void ByteBudget::Holder::GiveBack(uint64_t bytes) {
  held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  budget_->held_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace parity::engine
