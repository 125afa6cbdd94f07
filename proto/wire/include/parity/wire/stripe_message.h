// Reads the shard-carrying messages of parity.v1 where they lie.
//
// Key decision: protobuf would copy every `bytes` field into a string. Here the shards stay in the
// slices that gRPC read from the socket, and the kernels work on those. Fields that carry shards
// have the same numbers in every message, so one reader serves all of them.
#ifndef PARITY_WIRE_STRIPE_MESSAGE_H_
#define PARITY_WIRE_STRIPE_MESSAGE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "grpcpp/support/byte_buffer.h"
#include "parity/codec/geometry.h"
#include "parity/codec/shard.h"
#include "parity/v1/parity.pb.h"
#include "parity/wire/slice_list.h"

namespace parity::wire {

// kRegion: the shards lie in memory that client and server share, not in the message.
enum class ShardForm { kRepeated, kPacked, kRegion };

// A parsed message. It holds references to the slices of the buffer it was read from, or a copy if
// these are many and small, so its shards stay valid as long as it does. Not thread-safe.
class StripeMessage {
 public:
  // Parses any request or response of Encode, Reconstruct and Update, and VerifyRequest, with
  // protobuf's rules: fields in any order, unknown ones skipped, the last of a repeated singular
  // field wins. INVALID_ARGUMENT, naming
  //   "message"         if it is not a well-formed message
  //   "stripes"         if it is more than kMaxStripesPerMessage
  //   "shards"          if there are none, more than Geometry::kMaxShards a stripe, or both forms
  //   "shards[i]"       if shard_bytes is 0 and shard i is not as long as shard 0, or it is longer
  //   "packed_shards"   if its length is not a multiple of shard_bytes
  //   "shard_bytes"     if the shards are empty, or packed or in a region and shard_bytes is 0
  //   "checksums"       if there are any, and not as many as shards
  //   "present", "wanted", "indices"  if there are more than kMaxShards
  //   "region"          if there are shards as well, or there is none that offsets could be of
  //   "offsets"         if there are none, more than kMaxShards a stripe, or not as many for each
  //   "lengths"         if there are any, and not as many as offsets
  //   "output_offsets"  if there are more than kMaxShards a stripe
  // What the numbers of a region are worth is for region::RegionShards to find out.
  static absl::StatusOr<StripeMessage> Read(const grpc::ByteBuffer& buffer);
  // The same of a message that is a field of another one, of which it is bytes [begin, end).
  static absl::StatusOr<StripeMessage> Read(SliceList slices, uint64_t begin, uint64_t end);

  StripeMessage(StripeMessage&&) = default;
  StripeMessage& operator=(StripeMessage&&) = default;

  const v1::Geometry& geometry() const { return geometry_; }
  ShardForm form() const { return form_; }
  uint64_t shard_bytes() const { return shard_bytes_; }              // never 0
  uint32_t stripes() const { return stripes_; }                      // never 0
  absl::Span<const codec::Shard> shards() const { return shards_; }  // none if in a region
  // Field 5: `present` or `changed` of a request, `indices` of a response.
  absl::Span<const uint32_t> indices() const { return indices_; }
  absl::Span<const uint32_t> wanted() const { return wanted_; }
  // None, or one for each shard.
  absl::Span<const uint32_t> checksums() const { return checksums_; }
  // For shards in a region, else 0 and none. `offsets` are as many for each stripe.
  uint64_t region() const { return region_; }
  absl::Span<const uint64_t> offsets() const { return offsets_; }
  absl::Span<const uint64_t> lengths() const { return lengths_; }  // none, or one for each offset
  absl::Span<const uint64_t> output_offsets() const { return output_offsets_; }

 private:
  StripeMessage() = default;
  absl::Status Parse(uint64_t begin, uint64_t end);
  absl::Status SplitPacked(absl::Span<const codec::Segment> packed);
  absl::Status JoinRepeated(absl::Span<const size_t> ends);
  absl::Status CheckPlaces();
  // Cuts segments_ into shards_: ends[i] is one past the last segment of shard i.
  void SetShards(absl::Span<const size_t> ends);

  SliceList slices_;
  std::vector<codec::Segment> segments_;  // of all shards; never moved once shards_ is set
  std::vector<codec::Shard> shards_;
  v1::Geometry geometry_;
  ShardForm form_ = ShardForm::kRepeated;
  uint64_t shard_bytes_ = 0;
  uint32_t stripes_ = 1;
  std::vector<uint32_t> indices_;
  std::vector<uint32_t> wanted_;
  std::vector<uint32_t> checksums_;
  uint64_t region_ = 0;
  std::vector<uint64_t> offsets_;
  std::vector<uint64_t> lengths_;
  std::vector<uint64_t> output_offsets_;
};

// The geometry that a message asks for. INVALID_ARGUMENT as codec::Geometry::Make and MakeCustom,
// naming "geometry.code" or "geometry.matrix" for values that parity.v1 does not have, and
// "geometry.generator" for one that goes with no custom matrix. Cost: copies the generator.
absl::StatusOr<codec::Geometry> GeometryFrom(const v1::Geometry& geometry);
v1::Geometry ToProto(const codec::Geometry& geometry);

}  // namespace parity::wire

#endif  // PARITY_WIRE_STRIPE_MESSAGE_H_
