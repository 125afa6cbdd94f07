#include "parity/engine/buffer_pool.h"

#include <cstdlib>

namespace parity::engine {
namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kSmallestClass = 12;  // one page
constexpr size_t kLargestClass = 40;

size_t SizeClassOf(size_t bytes) {
  size_t size_class = kSmallestClass;
  while ((size_t{1} << size_class) < bytes) ++size_class;
  return size_class;
}

}  // namespace

Buffer::~Buffer() {
  if (data_ != nullptr) pool_->Return(data_, size_class_);
}

std::shared_ptr<BufferPool> BufferPool::Make(size_t max_idle_bytes) {
  return std::shared_ptr<BufferPool>(new BufferPool(max_idle_bytes));
}

BufferPool::~BufferPool() {
  for (const auto& buffers : idle_) {
    for (uint8_t* data : buffers) std::free(data);
  }
}

Buffer BufferPool::Get(size_t bytes) {
  if (bytes > (size_t{1} << kLargestClass)) return Buffer();
  const size_t size_class = SizeClassOf(bytes);
  uint8_t* data = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto& buffers = idle_[size_class];
    if (!buffers.empty()) {
      data = buffers.back();
      buffers.pop_back();
      idle_bytes_ -= size_t{1} << size_class;
    }
  }
  if (data == nullptr) {
    data = static_cast<uint8_t*>(std::aligned_alloc(kPageBytes, size_t{1} << size_class));
    if (data == nullptr) return Buffer();
  }
  return Buffer(shared_from_this(), data, bytes, size_class);
}

void BufferPool::Return(uint8_t* data, size_t size_class) {
  const size_t bytes = size_t{1} << size_class;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes <= max_idle_bytes_ - idle_bytes_) {
      idle_[size_class].push_back(data);
      idle_bytes_ += bytes;
      return;
    }
  }
  std::free(data);
}

size_t BufferPool::idle_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return idle_bytes_;
}

}  // namespace parity::engine
