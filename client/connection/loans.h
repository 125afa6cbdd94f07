// Slices of a caller's memory that gRPC refers to.
#ifndef PARITY_CLIENT_LOANS_H_
#define PARITY_CLIENT_LOANS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "grpcpp/support/slice.h"
#include "parity/client/request.h"

namespace parity::client {

// Thread-safe. REQUIRES: all are back before it is destroyed.
class Loans {
 public:
  grpc::Slice Lend(ShardBytes bytes);

  // False if some are still out after `patience`.
  bool AwaitAllBack(std::chrono::milliseconds patience);
  void AwaitAllBack();

 private:
  void GiveBack();

  std::mutex mutex_;  // of the next two
  std::condition_variable all_back_;
  size_t open_ = 0;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_LOANS_H_
