// Memory of a descriptor, mapped for as long as this lives.
#ifndef PARITY_SHM_MAPPING_H_
#define PARITY_SHM_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"

namespace parity::shm {

class Mapping {
 public:
  enum class Access { kRead, kReadWrite };

  // Maps the first `bytes` of `fd`, shared; from 2 MiB on at a multiple of 2 MiB, so that huge
  // pages can be had. An error of the operating system is returned as it is.
  static absl::StatusOr<Mapping> Map(int fd, size_t bytes, Access access);

  Mapping() = default;
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  Mapping(uint8_t* data, size_t bytes) : data_(data), bytes_(bytes) {}

  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace parity::shm

#endif  // PARITY_SHM_MAPPING_H_
