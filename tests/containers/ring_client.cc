// A client of a server on the same host, for run.sh: encodes in shared memory and compares with its
// own kernels.
//
//   parity_ring_client encode TARGET REGION_BYTES ROUNDS    prints what it did, and how fast
//   parity_ring_client hold TARGET REGION_BYTES             encodes until it is killed
//   parity_ring_client stats TARGET                         prints what the server counts
//   parity_ring_client await-no-regions TARGET              until the server has none, 20 s at most
//
// Exit codes: 0, 1 wrong or no answers, 2 usage, 3 no shared memory to be had.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "grpcpp/grpcpp.h"
#include "parity/client/local_coder.h"
#include "parity/client/ring.h"
#include "parity/codec/geometry.h"
#include "parity/v1/parity.grpc.pb.h"

namespace parity {
namespace {

constexpr uint32_t kDataShards = 10;
constexpr uint32_t kParityShards = 4;
constexpr size_t kShardBytes = size_t{64} << 10;
constexpr size_t kStripeBytes = (kDataShards + kParityShards) * kShardBytes;

constexpr int kWrong = 1;
constexpr int kUsage = 2;
constexpr int kNoMemory = 3;

constexpr absl::Duration kPatience = absl::Seconds(20);

absl::StatusOr<v1::GetServerStatsResponse> StatsOf(const std::string& target) {
  const auto stub =
      v1::ParityService::NewStub(grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
  v1::GetServerStatsResponse stats;
  const grpc::Status status = stub->GetServerStats(&context, {}, &stats);
  if (status.ok()) return stats;
  return absl::UnavailableError(absl::StrCat("GetServerStats: ", status.error_message()));
}

// As many stripes as fit the region, encoded side by side.
class Stripes {
 public:
  Stripes(client::Ring& ring, client::Coder& local)
      : ring_(ring),
        local_(local),
        geometry_(*codec::Geometry::Make(codec::Code::kReedSolomon, kDataShards, kParityShards)),
        count_(ring.memory().size() / kStripeBytes) {}

  size_t count() const { return count_; }
  absl::Duration encoding_time() const { return encoding_time_; }

  absl::Status Define() {
    const client::RingPlan plan{client::Operation::kEncode, geometry_, {}, {}};
    absl::Status status = ring_.Define(0, plan, 0);
    if (status.ok()) status = AwaitAll();
    return status;
  }

  // New data in every stripe, encoded by the server and then here.
  absl::Status Round() {
    auto* const words = reinterpret_cast<uint64_t*>(ring_.memory().data());
    for (size_t i = 0; i < count_ * kStripeBytes / sizeof *words; ++i) words[i] = random_();
    const absl::Time start = absl::Now();
    for (size_t stripe = 0; stripe < count_; ++stripe) {
      if (absl::Status status = Submit(stripe); !status.ok()) return status;
    }
    absl::Status status = AwaitAll();
    encoding_time_ += absl::Now() - start;
    for (size_t stripe = 0; status.ok() && stripe < count_; ++stripe) status = Compare(stripe);
    return status;
  }

 private:
  uint8_t* Shard(size_t stripe, size_t shard) {
    return ring_.memory().data() + stripe * kStripeBytes + shard * kShardBytes;
  }

  absl::Status Submit(size_t stripe) {
    std::vector<const uint8_t*> sources;
    std::vector<uint8_t*> outputs;
    for (size_t i = 0; i < kDataShards; ++i) sources.push_back(Shard(stripe, i));
    for (size_t i = 0; i < kParityShards; ++i) outputs.push_back(Shard(stripe, kDataShards + i));
    client::RingJob job;
    job.id = stripe;
    job.shard_bytes = kShardBytes;
    job.sources = sources;
    job.outputs = outputs;
    return ring_.Submit(job);
  }

  absl::Status AwaitAll() {
    while (ring_.under_way() > 0) {
      if (absl::Status status = ring_.Wait(absl::Now() + kPatience); !status.ok()) return status;
      for (const client::RingCompletion& completion : ring_.Take()) {
        if (!completion.status.ok()) return completion.status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Compare(size_t stripe) {
    std::vector<client::ShardBytes> data;
    for (size_t i = 0; i < kDataShards; ++i) data.emplace_back(Shard(stripe, i), kShardBytes);
    std::vector<std::vector<uint8_t>> parity(kParityShards, std::vector<uint8_t>(kShardBytes));
    std::vector<uint8_t*> outputs;
    for (std::vector<uint8_t>& shard : parity) outputs.push_back(shard.data());
    absl::Status status = local_.Encode(geometry_, data, kShardBytes, outputs);
    if (!status.ok()) return status;
    for (size_t i = 0; i < kParityShards; ++i) {
      const client::ShardBytes got(Shard(stripe, kDataShards + i), kShardBytes);
      if (got != client::ShardBytes(parity[i])) {
        return absl::DataLossError(
            absl::StrCat("parity ", i, " of stripe ", stripe, " is not what it should be"));
      }
    }
    return absl::OkStatus();
  }

  client::Ring& ring_;
  client::Coder& local_;
  const codec::Geometry geometry_;
  const size_t count_;
  std::mt19937_64 random_{1};
  absl::Duration encoding_time_;
};

int Fail(int code, const absl::Status& status) {
  std::fprintf(stderr, "ring_client: %s\n", status.ToString().c_str());
  return code;
}

// `rounds` of encoding; 0: without end.
int Encode(const std::string& target, uint64_t region_bytes, uint64_t rounds) {
  client::RingOptions options;
  options.target = target;
  options.region_bytes = region_bytes;
  const absl::Time start = absl::Now();
  const auto ring = client::Ring::Connect(options);
  if (!ring.ok()) return Fail(kNoMemory, ring.status());
  const absl::Duration connecting = absl::Now() - start;
  const auto local = client::MakeLocalCoder();
  if (!local.ok()) return Fail(kWrong, local.status());

  Stripes stripes(**ring, **local);
  absl::Status status = stripes.Define();
  for (uint64_t round = 0; status.ok() && (rounds == 0 || round < rounds); ++round) {
    status = stripes.Round();
    if (status.ok() && rounds == 0 && round == 0) {
      std::puts("encoding");
      std::fflush(stdout);
    }
  }
  if (!status.ok()) return Fail(kWrong, status);
  const uint64_t encoded = rounds * stripes.count();
  const double seconds = absl::ToDoubleSeconds(stripes.encoding_time());
  std::printf(
      "ring_client: uid %u: a region of %.0f MiB in %.1f ms; %llu stripes of 10 + 4 x 64 KiB as "
      "its own kernels have them, %.2f GB/s\n",
      geteuid(), static_cast<double>(region_bytes) / (1 << 20),
      absl::ToDoubleMilliseconds(connecting), static_cast<unsigned long long>(encoded),
      static_cast<double>(encoded * kDataShards * kShardBytes) / seconds / 1e9);
  return 0;
}

int PrintStats(const std::string& target) {
  const auto stats = StatsOf(target);
  if (!stats.ok()) return Fail(kWrong, stats.status());
  std::printf("ring_requests %llu regions %llu regions_bytes %llu refused_clients %llu\n",
              static_cast<unsigned long long>(stats->ring_requests()),
              static_cast<unsigned long long>(stats->regions()),
              static_cast<unsigned long long>(stats->regions_bytes()),
              static_cast<unsigned long long>(stats->refused_clients()));
  return 0;
}

int AwaitNoRegions(const std::string& target) {
  const absl::Time deadline = absl::Now() + kPatience;
  for (;;) {
    const auto stats = StatsOf(target);
    if (!stats.ok()) return Fail(kWrong, stats.status());
    if (stats->regions() == 0 && stats->regions_bytes() == 0) return 0;
    if (absl::Now() > deadline) {
      return Fail(kWrong, absl::DeadlineExceededError(
                              absl::StrCat(stats->regions(), " regions are still there")));
    }
    absl::SleepFor(absl::Milliseconds(1));
  }
}

int Run(const std::vector<std::string>& arguments) {
  const size_t count = arguments.size();
  const std::string command = count > 0 ? arguments[0] : "";
  uint64_t region_bytes = 0;
  uint64_t rounds = 0;
  if (count > 2 && !absl::SimpleAtoi(arguments[2], &region_bytes)) return kUsage;
  if (count > 3 && (!absl::SimpleAtoi(arguments[3], &rounds) || rounds == 0)) return kUsage;
  if (command == "encode" && count == 4) return Encode(arguments[1], region_bytes, rounds);
  if (command == "hold" && count == 3) return Encode(arguments[1], region_bytes, 0);
  if (command == "stats" && count == 2) return PrintStats(arguments[1]);
  if (command == "await-no-regions" && count == 2) return AwaitNoRegions(arguments[1]);
  std::fputs("usage: see the beginning of ring_client.cc\n", stderr);
  return kUsage;
}

}  // namespace
}  // namespace parity

int main(int argc, char** argv) { return parity::Run({argv + 1, argv + argc}); }
