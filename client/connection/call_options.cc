#include "parity/client/call_options.h"

#include <utility>

namespace parity::client {

void Cancellation::Cancel() {
  // Under the lock, so that a listener that goes waits for its callback.
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cancelled_.exchange(true, std::memory_order_acq_rel)) return;
  for (const std::function<void()>& callback : callbacks_) callback();
}

Cancellation::Listener::Listener(Cancellation* cancellation, std::function<void()> callback)
    : cancellation_(cancellation) {
  if (cancellation == nullptr) return;
  const std::lock_guard<std::mutex> lock(cancellation->mutex_);
  if (cancellation->is_cancelled()) callback();
  place_ = cancellation->callbacks_.insert(cancellation->callbacks_.end(), std::move(callback));
}

Cancellation::Listener::~Listener() {
  if (cancellation_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(cancellation_->mutex_);
  cancellation_->callbacks_.erase(place_);
}

}  // namespace parity::client
