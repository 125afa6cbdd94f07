// How many calls may be tried again, all callers of a pool taken together.
//
// Key decision: retries are paid for by successes. However many servers fail and however often a
// caller would try again, the servers get at most 1 + ratio calls for each that was asked for, and
// `tokens` once: what is overloaded is not buried by those who try again.
#ifndef PARITY_CLIENT_POOL_RETRY_BUDGET_H_
#define PARITY_CLIENT_POOL_RETRY_BUDGET_H_

#include <atomic>
#include <cstdint>

namespace parity::client {

struct RetryBudgetOptions {
  // What it starts with, and the most it holds: so many retries may follow each other without any
  // success. At most a million are heeded.
  double tokens = 100;
  // What a success adds: so many retries are had for each. Thousandths count.
  double ratio = 0.1;
};

// Thread-safe and lock-free. A success costs one load while the budget is full.
class RetryBudget {
 public:
  // REQUIRES: neither is negative.
  explicit RetryBudget(const RetryBudgetOptions& options = {});

  // A first attempt has succeeded; a retry that does adds nothing.
  void OnSuccess();
  // Takes one token. False if there is none: then the call is not to be tried again.
  bool Withdraw();

  // What is left.
  double tokens() const;

 private:
  static constexpr int64_t kToken = 1000;  // floating point has no atomic addition in C++17

  // Thousandths of a token.
  const int64_t most_;
  const int64_t added_;
  std::atomic<int64_t> left_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_RETRY_BUDGET_H_
