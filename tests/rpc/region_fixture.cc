#include "region_fixture.h"

#include <type_traits>
#include <utility>

#include "parity/wire/stripe_message.h"

namespace parity::testing {
namespace {

// What each shard of an answer will be written to.
std::vector<uint64_t> ReserveOutputs(ClientRegion& region, uint64_t shard_bytes, size_t count) {
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i < count; ++i) offsets.push_back(region.Reserve(shard_bytes));
  return offsets;
}

}  // namespace

ClientRegion::ClientRegion(region::RegionTable& table, uint64_t bytes) : table_(table) {
  auto made = region::Region::Make(table.NewId(), bytes, 0, {});
  EXPECT_TRUE(made.ok()) << made.status();
  auto mapped = shm::Mapping::Map((*made)->descriptors()[2], (*made)->bytes(),
                                  shm::Mapping::Access::kReadWrite);
  EXPECT_TRUE(mapped.ok()) << mapped.status();
  memory_ = *std::move(mapped);
  id_ = (*made)->id();
  held_ = *made;
  table.Add(*made);
}

uint64_t ClientRegion::Reserve(uint64_t bytes) {
  const uint64_t offset = used_;
  used_ += bytes + (++reserved_ % 3) * 7;
  EXPECT_LE(used_, this->bytes());
  return offset;
}

uint64_t ClientRegion::Put(const std::string& shard) {
  const uint64_t offset = Reserve(shard.size());
  std::copy(shard.begin(), shard.end(), data() + offset);
  return offset;
}

Answered RegionRequest::Ask(const v1::ProcessRequest& request) const {
  return GetParam() ? AskOnStream(request) : AskInACall(request);
}

Answered RegionRequest::AskInACall(const v1::ProcessRequest& request) const {
  Answered answered;
  grpc::ClientContext context;
  v1::ProcessResponse& response = answered.response;
  switch (request.request_case()) {
    case v1::ProcessRequest::kEncode:
      answered.status = stub_->Encode(&context, request.encode(), response.mutable_encode());
      break;
    case v1::ProcessRequest::kReconstruct:
      answered.status =
          stub_->Reconstruct(&context, request.reconstruct(), response.mutable_reconstruct());
      break;
    case v1::ProcessRequest::kVerify:
      answered.status = stub_->Verify(&context, request.verify(), response.mutable_verify());
      break;
    case v1::ProcessRequest::kUpdate:
      answered.status = stub_->Update(&context, request.update(), response.mutable_update());
      break;
    case v1::ProcessRequest::REQUEST_NOT_SET:
      ADD_FAILURE();
  }
  return answered;
}

Answered RegionRequest::AskOnStream(const v1::ProcessRequest& request) const {
  Answered answered;
  grpc::ClientContext context;
  const auto stream = stub_->Process(&context);
  EXPECT_TRUE(stream->Write(request));
  EXPECT_TRUE(stream->Read(&answered.response));
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  const auto& error = answered.response.error();
  if (answered.response.has_error()) {
    answered.status = grpc::Status(static_cast<grpc::StatusCode>(error.code()), error.message(),
                                   error.SerializeAsString());
  }
  return answered;
}

v1::ProcessRequest Move(const v1::ProcessRequest& travelling, ClientRegion& region,
                        size_t computed_shards, std::vector<uint64_t>* outputs) {
  v1::ProcessRequest moved = travelling;
  Visit(moved, [&](auto& request) {
    request.set_region(region.id());
    const bool has_lengths =
        std::any_of(request.shards().begin(), request.shards().end(),
                    [&](const auto& shard) { return shard.size() < request.shard_bytes(); });
    for (const std::string& shard : request.shards()) {
      request.add_offsets(region.Put(shard));
      if (has_lengths) request.add_lengths(shard.size());
    }
    request.clear_shards();
  });
  if (moved.has_update()) {
    outputs->clear();
    const v1::UpdateRequest& update = moved.update();
    const int per_stripe = update.offsets_size() / static_cast<int>(update.stripes());
    const int parity = static_cast<int>(update.geometry().parity_shards());
    for (int i = 0; i < update.offsets_size(); ++i) {
      if (i % per_stripe >= per_stripe - parity) outputs->push_back(update.offsets(i));
    }
    return moved;
  }
  uint64_t shard_bytes = 0;
  Visit(moved, [&](const auto& request) { shard_bytes = request.shard_bytes(); });
  *outputs = ReserveOutputs(region, shard_bytes, computed_shards);
  const auto add = [&](auto* offsets) { offsets->Assign(outputs->begin(), outputs->end()); };
  if (moved.has_encode()) add(moved.mutable_encode()->mutable_output_offsets());
  if (moved.has_reconstruct()) add(moved.mutable_reconstruct()->mutable_output_offsets());
  return moved;
}

std::vector<v1::ProcessRequest> EveryOperation(const Stripes& stripes, bool shortened,
                                               bool checksums) {
  const uint32_t k = stripes.geometry.data_shards();
  const uint32_t total = stripes.geometry.total_shards();
  std::vector<uint32_t> present;
  for (uint32_t i = 1; i < total; ++i) present.push_back(i);
  std::vector<v1::ProcessRequest> requests(5);
  const auto fill = [&](auto* request, const std::vector<std::string>& shards) {
    using Request = std::remove_pointer_t<decltype(request)>;
    *request = RequestFor<Request>(wire::ToProto(stripes.geometry), shards, stripes.shard_bytes,
                                   static_cast<uint32_t>(stripes.shards.size()), false);
  };
  fill(requests[0].mutable_encode(), stripes.Data());
  fill(requests[1].mutable_reconstruct(), stripes.Pick(present));
  for (const uint32_t index : present) requests[1].mutable_reconstruct()->add_present(index);
  fill(requests[2].mutable_verify(), stripes.All());
  std::vector<std::string> wrong = stripes.All();
  wrong[wrong.size() - total + 1].back() ^= 3;
  fill(requests[3].mutable_verify(), wrong);
  std::vector<uint32_t> changed = {0, 1};  // shard 0 becomes what shard 1 is
  for (uint32_t i = k; i < total; ++i) changed.push_back(i);
  fill(requests[4].mutable_update(), stripes.Pick(changed));
  requests[4].mutable_update()->add_changed(0);
  for (v1::ProcessRequest& request : requests) {
    Visit(request, [&](auto& of) {
      // The first shard of a stripe ends early, that of the first stripe at once.
      const int per_stripe = of.shards_size() / static_cast<int>(of.stripes());
      for (int i = 0; shortened && i < of.shards_size(); i += per_stripe) {
        of.mutable_shards(i)->resize(i == 0 ? 0 : stripes.shard_bytes / 2);
      }
      for (int i = 0; checksums && i < of.shards_size(); ++i) {
        of.add_checksums(Crc32cOf(of.shards(i)));
      }
    });
  }
  return requests;
}

}  // namespace parity::testing
