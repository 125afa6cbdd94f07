// Regions as their clients have them, and requests whose shards lie in one.
#ifndef PARITY_TESTS_RPC_REGION_FIXTURE_H_
#define PARITY_TESTS_RPC_REGION_FIXTURE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parity/region/region.h"
#include "parity/region/region_table.h"
#include "parity/shm/mapping.h"
#include "parity/v1/parity.grpc.pb.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {

// A region as its client has it: mapped once more, so it can be read when the server has let it go.
class ClientRegion {
 public:
  ClientRegion(region::RegionTable& table, uint64_t bytes);
  ~ClientRegion() { table_.Remove(id_); }
  ClientRegion(const ClientRegion&) = delete;
  ClientRegion& operator=(const ClientRegion&) = delete;

  uint64_t id() const { return id_; }
  uint64_t bytes() const { return memory_.bytes(); }
  uint8_t* data() const { return memory_.data(); }
  bool server_has_it() const { return !held_.expired(); }

  // Places for shards, one behind the other, in turn with and without a gap.
  uint64_t Reserve(uint64_t bytes);
  uint64_t Put(const std::string& shard);
  std::string Get(uint64_t offset, uint64_t bytes) const {
    return std::string(data() + offset, data() + offset + bytes);
  }
  std::string All() const { return Get(0, bytes()); }
  void Clear() {
    std::fill_n(data(), bytes(), uint8_t{0xa5});
    used_ = 0;
  }

 private:
  region::RegionTable& table_;
  shm::Mapping memory_;
  uint64_t id_ = 0;
  std::weak_ptr<region::Region> held_;
  uint64_t used_ = 0;
  unsigned reserved_ = 0;
};

// The request of the operation that there is in it.
template <class Function>
void Visit(v1::ProcessRequest& request, const Function& function) {
  if (request.has_encode()) function(*request.mutable_encode());
  if (request.has_reconstruct()) function(*request.mutable_reconstruct());
  if (request.has_verify()) function(*request.mutable_verify());
  if (request.has_update()) function(*request.mutable_update());
}

struct Answered {
  grpc::Status status;
  v1::ProcessResponse response;  // in any case, with the shards in it or without
};

// True: over a stream; false: a call of its own.
class RegionRequest : public ::testing::TestWithParam<bool> {
 protected:
  Answered Ask(const v1::ProcessRequest& request) const;
  Answered AskInACall(const v1::ProcessRequest& request) const;
  Answered AskOnStream(const v1::ProcessRequest& request) const;

  const std::shared_ptr<region::RegionTable> table_ = std::make_shared<region::RegionTable>();
  RunningServer server_{rpc::Limits(), "", std::nullopt, table_};
  std::unique_ptr<v1::ParityService::Stub> stub_ = v1::ParityService::NewStub(server_.Connect());
};

// The same request with its shards in the region, and where its outputs will be.
v1::ProcessRequest Move(const v1::ProcessRequest& travelling, ClientRegion& region,
                        size_t computed_shards, std::vector<uint64_t>* outputs);

// Every operation on the same stripes, in messages with shards.
std::vector<v1::ProcessRequest> EveryOperation(const Stripes& stripes, bool shortened,
                                               bool checksums);

}  // namespace parity::testing

#endif  // PARITY_TESTS_RPC_REGION_FIXTURE_H_
