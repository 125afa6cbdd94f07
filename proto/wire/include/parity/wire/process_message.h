// Reads ProcessRequest where it lies: the id, and which part of the message is the request.
#ifndef PARITY_WIRE_PROCESS_MESSAGE_H_
#define PARITY_WIRE_PROCESS_MESSAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "grpcpp/support/byte_buffer.h"
#include "parity/wire/slice_list.h"

namespace parity::wire {

// Reading the request itself is left to StripeMessage, so that what is wrong with it can be
// answered with its id.
struct ProcessMessage {
  SliceList slices;  // of all of it
  uint64_t bytes = 0;
  uint64_t id = 0;
  int field = 0;       // of the request: its number in ProcessRequest; 0 if there is none
  uint64_t begin = 0;  // the request is bytes [begin, end)
  uint64_t end = 0;

  // Takes the message, of which `buffer` is empty afterwards. INVALID_ARGUMENT naming "message" if
  // it is not a well-formed message, "request" if it holds more than one.
  static absl::StatusOr<ProcessMessage> Read(grpc::ByteBuffer& buffer);
};

}  // namespace parity::wire

#endif  // PARITY_WIRE_PROCESS_MESSAGE_H_
