#include "stripe_processor_fixture.h"

#include <algorithm>
#include <iterator>

#include "absl/status/statusor.h"
#include "parity/checksum/crc32c.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec.h"

namespace parity::engine {

using codec::Bytes;
using codec::Code;
using codec::Geometry;
using codec::ShardList;

Stripes::Stripes(const Geometry& of, size_t bytes, uint32_t count, std::mt19937& random)
    : geometry(of), shard_bytes(bytes) {
  codec::Batch batch(codec::BestTable());
  const codec::Codec codec(geometry);
  for (uint32_t s = 0; s < count; ++s) {
    std::vector<Bytes> data;
    for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
      data.push_back(codec::Noise(bytes, random));
    }
    std::vector<Bytes> parity(geometry.parity_shards(), Bytes(bytes));
    EXPECT_TRUE(codec.Encode(ShardList(data).shards(), bytes, codec::Pointers(parity), batch).ok());
    batch.Run();
    std::move(parity.begin(), parity.end(), std::back_inserter(data));
    shards.push_back(std::move(data));
  }
}

std::vector<Bytes> Stripes::Pick(const std::vector<uint32_t>& indices) const {
  std::vector<Bytes> picked;
  for (const auto& stripe : shards) {
    for (const uint32_t index : indices) picked.push_back(stripe[index]);
  }
  return picked;
}

std::vector<uint32_t> Stripes::Range(uint32_t first, uint32_t last) const {
  std::vector<uint32_t> range;
  for (uint32_t i = first; i < last; ++i) range.push_back(i);
  return range;
}

std::vector<uint32_t> Sums(const std::vector<Bytes>& shards) {
  std::vector<uint32_t> sums;
  for (const Bytes& shard : shards) sums.push_back(checksum::Crc32c(shard));
  return sums;
}

std::vector<Bytes> Computed(StripeJob& job) {
  std::vector<Bytes> shards;
  const ComputedShards& computed = job.computed();
  for (uint32_t i = 0; i < computed.count; ++i) {
    const uint8_t* shard = computed.buffer.data() + i * computed.shard_bytes;
    shards.emplace_back(shard, shard + computed.shard_bytes);
  }
  return shards;
}

std::unique_ptr<Request> StripeProcessorTest::Make(const Geometry& geometry,
                                                   const StripeTask& task) {
  absl::StatusOr<StripeJob> job = StripeJob::Make(processor_.codecs().Get(geometry), task);
  EXPECT_TRUE(job.ok()) << job.status();
  EXPECT_TRUE(job->Allocate(processor_.pool()).ok());
  return std::make_unique<Request>(*std::move(job));
}

absl::Status StripeProcessorTest::Run(Request& request) {
  processor_.Queue(line_, request);
  while (!processor_.idle()) processor_.RunTurn();
  return request.outcome.value_or(absl::InternalError("not done"));
}

std::vector<Geometry> Geometries() {
  return {*Geometry::Make(Code::kXor, 3, 1), *Geometry::Make(Code::kRaid6, 4, 2),
          *Geometry::Make(Code::kReedSolomon, 4, 3)};
}

void ThreadCrew::Offer(const std::shared_ptr<JobShare>& share) {
  for (int i = 0; i < 2; ++i) {
    helpers_.emplace_back([this, share] {
      StripeProcessor processor(codec::BestTable(), BufferPool::Make(0));
      processor.Help(share);
      while (!processor.idle()) processor.RunTurn();
      helped += processor.batches();
    });
  }
}

}  // namespace parity::engine
