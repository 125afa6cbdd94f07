#include "parity/wire/slice_list.h"

#include <algorithm>

#include "absl/status/status.h"

namespace parity::wire {
namespace {

// A message is copied if its slices are shorter than this on average, beyond a few. HTTP/2 frames
// of the usual 16 KiB, cut by reads of the socket, are never that small.
constexpr size_t kSmallSliceBytes = 2048;
constexpr size_t kFewSlices = 16;

}  // namespace

absl::StatusOr<SliceList> SliceList::Take(grpc::ByteBuffer& buffer) {
  SliceList list;
  list.buffer_.Swap(&buffer);
  const absl::Status failed = absl::InternalError("the slices of the message cannot be read");
  if (!list.buffer_.Dump(&list.slices_).ok()) return failed;
  if (list.slices_.size() > kFewSlices + list.buffer_.Length() / kSmallSliceBytes) {
    grpc::Slice copy;
    if (!list.buffer_.DumpToSingleSlice(&copy).ok()) return failed;
    list.slices_.assign(1, copy);
    list.buffer_.Clear();
  }
  return list;
}

bool SliceStream::Next(const void** data, int* size) {
  while (index_ < slices_.size() && offset_ == slices_[index_].size()) {
    ++index_;
    offset_ = 0;
  }
  if (index_ == slices_.size()) return false;
  const size_t rest = slices_[index_].size() - offset_;
  *data = slices_[index_].begin() + offset_;
  *size = static_cast<int>(rest);
  offset_ += rest;
  count_ += static_cast<int64_t>(rest);
  return true;
}

void SliceStream::BackUp(int count) {
  offset_ -= static_cast<size_t>(count);
  count_ -= count;
}

bool SliceStream::Skip(int count) {
  const void* data;
  int size;
  while (count > 0) {
    if (!Next(&data, &size)) return false;
    if (size > count) BackUp(size - count);
    count -= std::min(size, count);
  }
  return true;
}

}  // namespace parity::wire
