// The slices of a message, as gRPC read them from the socket.
#ifndef PARITY_WIRE_SLICE_LIST_H_
#define PARITY_WIRE_SLICE_LIST_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"

namespace parity::wire {

// Holds a reference to the memory of every slice. Movable.
//
// The buffer that they came in is kept beside them and goes last: gRPC's memory quota crashes when
// the last reference to what it has counted is dropped outside gRPC, which grpc::Slice does and
// grpc::ByteBuffer does not.
class SliceList {
 public:
  // Takes the slices of `buffer`, which is empty afterwards. If they are so small that looking
  // after each costs more than a copy (a peer can send a message in frames of a few bytes), the
  // list holds a copy instead, in one slice. INTERNAL if gRPC does not hand them out.
  static absl::StatusOr<SliceList> Take(grpc::ByteBuffer& buffer);

  SliceList() = default;
  SliceList(SliceList&& other) noexcept { Swap(other); }
  SliceList& operator=(SliceList&& other) noexcept {
    SliceList taken(std::move(other));
    Swap(taken);
    return *this;
  }

  const std::vector<grpc::Slice>& get() const { return slices_; }

 private:
  void Swap(SliceList& other) noexcept {
    buffer_.Swap(&other.buffer_);
    slices_.swap(other.slices_);
  }

  grpc::ByteBuffer buffer_;
  std::vector<grpc::Slice> slices_;
};

// Slices as protobuf reads them. They must outlive the stream and what it hands out.
class SliceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit SliceStream(const SliceList& slices) : slices_(slices.get()) {}

  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return count_; }

 private:
  const std::vector<grpc::Slice>& slices_;
  size_t index_ = 0;
  size_t offset_ = 0;
  int64_t count_ = 0;
};

}  // namespace parity::wire

#endif  // PARITY_WIRE_SLICE_LIST_H_
