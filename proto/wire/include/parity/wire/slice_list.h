// The slices of a message, as gRPC read them from the socket.
#ifndef PARITY_WIRE_SLICE_LIST_H_
#define PARITY_WIRE_SLICE_LIST_H_

#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/io/zero_copy_stream.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"

namespace parity::wire {

// Each holds a reference to its memory.
using SliceList = std::vector<grpc::Slice>;

// Takes references to the slices of `buffer`. If they are so small that looking after each costs
// more than a copy (a peer can send a message in frames of a few bytes), the list holds a copy
// instead, in one slice. INTERNAL if gRPC does not hand them out.
absl::StatusOr<SliceList> SlicesOf(const grpc::ByteBuffer& buffer);

// Slices as protobuf reads them. They must outlive the stream and what it hands out.
class SliceStream : public google::protobuf::io::ZeroCopyInputStream {
 public:
  explicit SliceStream(const SliceList& slices) : slices_(slices) {}

  bool Next(const void** data, int* size) override;
  void BackUp(int count) override;
  bool Skip(int count) override;
  int64_t ByteCount() const override { return count_; }

 private:
  const SliceList& slices_;
  size_t index_ = 0;
  size_t offset_ = 0;
  int64_t count_ = 0;
};

}  // namespace parity::wire

#endif  // PARITY_WIRE_SLICE_LIST_H_
