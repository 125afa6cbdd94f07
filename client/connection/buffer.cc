#include "parity/client/buffer.h"

#include <unistd.h>

#include <algorithm>
#include <new>

#include "absl/strings/str_cat.h"

namespace parity::client {

absl::StatusOr<Buffer> AllocateBuffer(size_t bytes) {
  const auto page = std::align_val_t{static_cast<size_t>(sysconf(_SC_PAGESIZE))};
  void* const data = ::operator new(std::max<size_t>(bytes, 1), page, std::nothrow);
  if (data == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
  }
  std::shared_ptr<void> owner(data, [page](void* memory) { ::operator delete(memory, page); });
  return Buffer(static_cast<uint8_t*>(data), bytes, false, std::move(owner));
}

}  // namespace parity::client
