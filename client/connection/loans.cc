#include "loans.h"

namespace parity::client {

grpc::Slice Loans::Lend(ShardBytes bytes) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++open_;
  }
  // gRPC takes a mutable pointer but does not write to what it sends.
  return grpc::Slice(
      const_cast<uint8_t*>(bytes.data()), bytes.size(),
      [](void* loans) { static_cast<Loans*>(loans)->GiveBack(); }, this);
}

bool Loans::AwaitAllBack(std::chrono::milliseconds patience) {
  std::unique_lock<std::mutex> lock(mutex_);
  return all_back_.wait_for(lock, patience, [this] { return open_ == 0; });
}

void Loans::AwaitAllBack() {
  std::unique_lock<std::mutex> lock(mutex_);
  all_back_.wait(lock, [this] { return open_ == 0; });
}

void Loans::GiveBack() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --open_;
  all_back_.notify_all();  // under the lock: the loans may be gone once it is released
}

}  // namespace parity::client
