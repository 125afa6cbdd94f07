// Memory for parity, reused.
//
// Key decision: buffers come back from whichever thread drops the last reference (gRPC's, often),
// and are then used again by the worker that first touched them, so they stay on its NUMA node.
#ifndef PARITY_ENGINE_BUFFER_POOL_H_
#define PARITY_ENGINE_BUFFER_POOL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace parity::engine {

class BufferPool;

// Owns its memory and gives it back to the pool; the pool lives as long as any of its buffers.
// Movable.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { Swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    Swap(other);
    return *this;
  }
  ~Buffer();

  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  friend class BufferPool;
  Buffer(std::shared_ptr<BufferPool> pool, uint8_t* data, size_t bytes, size_t size_class)
      : pool_(std::move(pool)), data_(data), bytes_(bytes), size_class_(size_class) {}
  void Swap(Buffer& other) {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(size_class_, other.size_class_);
  }

  std::shared_ptr<BufferPool> pool_;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
  size_t size_class_ = 0;
};

// Thread-safe. Free buffers are kept by size, powers of two, up to `max_idle_bytes` in all.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  static std::shared_ptr<BufferPool> Make(size_t max_idle_bytes);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // A buffer of `bytes` bytes on a page boundary, with unspecified content; data() is null if there
  // is no memory.
  Buffer Get(size_t bytes);

  // What is kept for reuse.
  size_t idle_bytes() const;

 private:
  friend class Buffer;
  static constexpr size_t kSizeClasses = 64;

  explicit BufferPool(size_t max_idle_bytes) : max_idle_bytes_(max_idle_bytes) {}
  void Return(uint8_t* data, size_t size_class);

  const size_t max_idle_bytes_;
  mutable std::mutex mutex_;  // of the next two
  size_t idle_bytes_ = 0;
  // idle_[c] holds buffers of 2^c bytes.
  std::array<std::vector<uint8_t*>, kSizeClasses> idle_;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_BUFFER_POOL_H_
