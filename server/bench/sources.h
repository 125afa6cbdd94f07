// The data that clients send.
#ifndef PARITY_SERVER_BENCH_SOURCES_H_
#define PARITY_SERVER_BENCH_SOURCES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace parity::bench {

// The same noise each time. Writes whole words of 8 bytes.
void FillWithNoise(uint8_t* data, size_t bytes);

// Memory with noise in it, much larger than the caches next to a core, which clients go through
// again and again. It is there until the process ends, so that it can be sent by reference without
// keeping account. Immutable, so thread-safe; copies are of the same memory.
class Sources {
 public:
  // Room for at least two requests of `request_bytes`. Cost: writes 64 MiB or more.
  // RESOURCE_EXHAUSTED if there is no memory.
  static absl::StatusOr<Sources> Make(size_t request_bytes);

  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  Sources(const uint8_t* data, size_t bytes) : data_(data), bytes_(bytes) {}

  const uint8_t* data_;
  size_t bytes_;
};

// Where the next request of one client comes from.
class SourceCursor {
 public:
  // The `part`-th of `parts` clients starts that far into the memory.
  // REQUIRES: a request fits.
  SourceCursor(const Sources& sources, size_t request_bytes, size_t part = 0, size_t parts = 1)
      : sources_(sources),
        request_bytes_(request_bytes),
        requests_(sources.bytes() / request_bytes),
        next_(requests_ * part / parts) {}

  const uint8_t* Next() {
    if (next_ >= requests_) next_ = 0;
    return sources_.data() + request_bytes_ * next_++;
  }

 private:
  const Sources sources_;
  const size_t request_bytes_;
  const size_t requests_;
  size_t next_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SOURCES_H_
