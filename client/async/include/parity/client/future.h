// A std::future of what a callback gets:
//
//   FutureStatus encoded;
//   async.EncodeAsync(geometry, data, shard_bytes, parity, {}, encoded.callback());
//   absl::Status status = encoded.future().get();
#ifndef PARITY_CLIENT_FUTURE_H_
#define PARITY_CLIENT_FUTURE_H_

#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "absl/status/status.h"

namespace parity::client {

// For one call. It may go before the callback is called; the future stays good.
template <class Result>
class FutureOf {
 public:
  FutureOf()
      : promise_(std::make_shared<std::promise<Result>>()), future_(promise_->get_future()) {}

  std::function<void(Result)> callback() const {
    return [promise = promise_](Result result) { promise->set_value(std::move(result)); };
  }
  std::future<Result>& future() { return future_; }

 private:
  std::shared_ptr<std::promise<Result>> promise_;
  std::future<Result> future_;
};

using FutureStatus = FutureOf<absl::Status>;

}  // namespace parity::client

#endif  // PARITY_CLIENT_FUTURE_H_
