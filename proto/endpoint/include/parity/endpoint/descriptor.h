// A file descriptor that closes itself.
#ifndef PARITY_ENDPOINT_DESCRIPTOR_H_
#define PARITY_ENDPOINT_DESCRIPTOR_H_

#include <utility>

namespace parity::endpoint {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace parity::endpoint

#endif  // PARITY_ENDPOINT_DESCRIPTOR_H_
