// Memory for shards.
#ifndef PARITY_CLIENT_BUFFER_H_
#define PARITY_CLIENT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"

namespace parity::client {

// Owns its memory, also when the coder or the server is gone. Moving it leaves it where it is.
class Buffer {
 public:
  Buffer() = default;
  // `owner` frees it.
  Buffer(uint8_t* data, size_t size, bool is_shared, std::shared_ptr<void> owner)
      : data_(data), size_(size), is_shared_(is_shared), owner_(std::move(owner)) {}
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(is_shared_, other.is_shared_);
    std::swap(owner_, other.owner_);
    return *this;
  }

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  // Whether it was shared with the server when it was given out.
  bool is_shared() const { return is_shared_; }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  bool is_shared_ = false;
  std::shared_ptr<void> owner_;
};

// Memory at a page, its contents unspecified, that nobody shares. RESOURCE_EXHAUSTED.
absl::StatusOr<Buffer> AllocateBuffer(size_t bytes);

}  // namespace parity::client

#endif  // PARITY_CLIENT_BUFFER_H_
