// How long calls took lately, here and at servers.
//
// Key decision: calls are alike if they do the same to about as many bytes. The way that took
// longer is tried now and then, since it may have become the faster one.
#ifndef PARITY_CLIENT_SPEED_TABLE_H_
#define PARITY_CLIENT_SPEED_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "parity/client/request.h"

namespace parity::client {

// Thread-safe: racing threads may lose one another's measurements, which does not matter.
class SpeedTable {
 public:
  enum class Way : uint8_t { kLocal, kRemote };

  Way Choose(const Request& request);
  void Add(const Request& request, Way way, absl::Duration took);
  // No server has done it: they count as slower than this process until they are measured again.
  void AddFailure(const Request& request);

 private:
  struct Cell {
    std::array<std::atomic<int64_t>, 2> took_ns{};  // by way, smoothed; 0: not measured
    std::atomic<uint32_t> calls{0};
  };
  static constexpr size_t kSizes = 48;  // by the logarithm of the bytes
  static constexpr size_t kOperations = 4;

  Cell& CellOf(const Request& request);

  std::array<Cell, kSizes * kOperations> cells_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_SPEED_TABLE_H_
