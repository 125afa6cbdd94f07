#include "retry_budget.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace parity::client {
namespace {

constexpr double kMostTokens = 1e6;

}  // namespace

RetryBudget::RetryBudget(const RetryBudgetOptions& options)
    : most_(std::llround(std::min(options.tokens, kMostTokens) * kToken)),
      added_(std::llround(std::min(options.ratio, kMostTokens) * kToken)),
      left_(most_) {
  assert(options.tokens >= 0 && options.ratio >= 0);
}

void RetryBudget::OnSuccess() {
  int64_t left = left_.load(std::memory_order_relaxed);
  while (left < most_ && !left_.compare_exchange_weak(left, std::min(left + added_, most_),
                                                      std::memory_order_relaxed)) {
  }
}

bool RetryBudget::Withdraw() {
  int64_t left = left_.load(std::memory_order_relaxed);
  while (left >= kToken) {
    if (left_.compare_exchange_weak(left, left - kToken, std::memory_order_relaxed)) return true;
  }
  return false;
}

double RetryBudget::tokens() const {
  return static_cast<double>(left_.load(std::memory_order_relaxed)) / kToken;
}

}  // namespace parity::client
