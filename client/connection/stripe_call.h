// A request as a message of parity.v1, and what came back.
#ifndef PARITY_CLIENT_STRIPE_CALL_H_
#define PARITY_CLIENT_STRIPE_CALL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/byte_buffer.h"
#include "loans.h"
#include "parity/client/request.h"
#include "parity/wire/message_writer.h"

namespace parity::client {

// The method of the service.
absl::string_view MethodOf(Operation operation);

// Writes the request, its shards by reference; with checksums, the CRC32C of each as well.
// REQUIRES: CheckRequest(request).
void Write(const Request& request, bool with_checksums, wire::MessageWriter& writer, Loans& loans);

// Takes what the server has computed from its response. An output is written only if all of them
// are as they should be: INTERNAL if the response is not what was asked for, DATA_LOSS naming the
// output if it does not have the checksum that came with it.
absl::Status Read(const grpc::ByteBuffer& response, bool with_checksums, const Request& request);

}  // namespace parity::client

#endif  // PARITY_CLIENT_STRIPE_CALL_H_
