// What is asked of a coder: one stripe, and what is to be done with it.
//
// Key decision: one type for all operations, so that whatever stands between a caller and the
// kernels (slices, retries, fallback, a test's fake) is written once, not once for each.
#ifndef PARITY_CLIENT_REQUEST_H_
#define PARITY_CLIENT_REQUEST_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "parity/codec/codec.h"
#include "parity/codec/geometry.h"

namespace parity::client {

// A shard in the caller's memory. One shorter than the stripe counts as followed by zeros.
using ShardBytes = absl::Span<const uint8_t>;

enum class Operation : uint8_t { kEncode, kReconstruct, kVerify, kUpdate };

// "encode", "reconstruct", "verify", "update".
const char* NameOf(Operation operation);

// A view: all memory is the caller's and must outlive it.
struct Request {
  Operation operation;
  const codec::Geometry& geometry;
  // To reconstruct: the shards present. To update: the changed data shards.
  absl::Span<const uint32_t> indices = {};
  // To reconstruct: the shards to compute.
  absl::Span<const uint32_t> wanted = {};
  // To encode, the k data shards; to reconstruct, those present; to verify, all k+m; to update, the
  // old contents of the changed ones, then the new ones.
  absl::Span<const ShardBytes> shards = {};
  size_t shard_bytes = 0;
  // The m parity shards, those wanted, or none to verify. Those of an update are read as well.
  absl::Span<uint8_t* const> outputs = {};
  // To verify: where what was found goes. Empty before.
  codec::VerifyReport* report = nullptr;
  // If there is one, an error leaves here how many bytes of every shard are done: the outputs hold
  // them, the report has what they show, and beyond them parity to update is as it was. So who
  // tries again goes on from there. It counts from 0, and is 0 before.
  size_t* done = nullptr;
};

// Whether a request has as many shards and outputs as its operation calls for, none is longer than
// shard_bytes, which is not 0, no output overlaps another, or a shard in part, and something is
// asked for.
// INVALID_ARGUMENT naming the field. After it the pointers may be followed; what the codec checks
// besides is not checked.
absl::Status CheckRequest(const Request& request);

// The bytes that a request reads and writes, at most.
uint64_t BytesOf(const Request& request);

// Bytes [begin, end) of every shard of a request: a request too, as any byte range of a stripe is a
// stripe. It refers to what `whole` refers to. REQUIRES: CheckRequest(whole), begin < end <=
// whole.shard_bytes.
class RequestSlice {
 public:
  RequestSlice(const Request& whole, size_t begin, size_t end);
  RequestSlice(const RequestSlice&) = delete;
  RequestSlice& operator=(const RequestSlice&) = delete;

  const Request& request() const { return request_; }
  // Adds what verifying the slice has found to the report of the whole. Not thread-safe.
  void MergeReport() const;

 private:
  const Request& whole_;
  const size_t begin_;
  std::vector<ShardBytes> shards_;
  std::vector<uint8_t*> outputs_;
  codec::VerifyReport report_;
  Request request_;
};

// Adds to `into` what was found from `offset` on, which `into` does not count in. Whatever the
// order of the calls, `into` ends as if the whole had been verified at once: by shard, the first
// difference of each, and the suspect of the lowest offset.
void MergeReport(codec::VerifyReport& into, const codec::VerifyReport& found, size_t offset);

}  // namespace parity::client

#endif  // PARITY_CLIENT_REQUEST_H_
