#include "live_server.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <utility>

#include "../codec/stripe.h"
#include "gtest/gtest.h"
#include "parity/engine/worker_plan.h"
#include "parity/kernels/dispatch.h"
#include "process.h"

namespace parity::shm {
namespace {

using codec::Bytes;
using codec::Code;
using codec::Geometry;

constexpr uint16_t kEncodePlan = 0;
constexpr uint16_t kRestorePlan = 1;
constexpr uint16_t kVerifyPlan = 2;
constexpr uint16_t kUpdatePlan = 3;

const Geometry& TestedGeometry() {
  static const Geometry kGeometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  return kGeometry;
}

}  // namespace

LiveServer::LiveServer(const rings::Limits& limits) {
  char name[] = "/tmp/parity-shm-test.XXXXXX";
  directory_ = mkdtemp(name);
  rings::ServerOptions options;
  options.paths = {directory_ + "/test.sock"};
  options.plan = *engine::PlanWorkers(1);
  options.table = *kernels::SelectTable("auto");
  options.limits = limits;
  auto server = rings::Server::Start(options);
  if (!server.ok()) throw std::runtime_error(server.status().ToString());
  server_ = *std::move(server);
}

LiveServer::~LiveServer() {
  server_ = nullptr;
  std::filesystem::remove_all(directory_);
}

LiveServer::Level LiveServer::level() const {
  const rings::Stats stats = server_->GetStats();
  return {OpenDescriptors(), stats.regions, stats.region_bytes};
}

void LiveServer::ExpectBackAt(const Level& then) const {
  const auto give_up = std::chrono::steady_clock::now() + RawClient::kPatience;
  Level now = level();
  const auto is_back = [&] {
    return now.descriptors <= then.descriptors && now.regions <= then.regions &&
           now.region_bytes <= then.region_bytes;
  };
  while (!is_back() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    now = level();
  }
  EXPECT_EQ(now.descriptors, then.descriptors);
  EXPECT_EQ(now.regions, then.regions);
  EXPECT_EQ(now.region_bytes, then.region_bytes);
}

HonestClient::HonestClient(const std::string& path, uint32_t seed)
    : client_(path), random_(seed), expected_(RawClient::kRegionBytes) {
  if (!client_.ShakeHands()) throw std::runtime_error("an honest client was not let in");
  const Geometry& geometry = TestedGeometry();
  const Plan plans[] = {{Operation::kEncode, geometry, {}, {}},
                        {Operation::kReconstruct, geometry, {0, 2, 4, 5}, {3, 1}},
                        {Operation::kVerify, geometry, {}, {}},
                        {Operation::kUpdate, geometry, {2, 0}, {}}};
  uint16_t place = 0;
  for (const Plan& plan : plans) {
    client_.Write(DefineRecord(place++, plan, next_id_));
    client_.Publish();
    const auto ended = client_.Take();
    if (!ended.has_value() || ended->id != next_id_++ || ended->outcome != Outcome::kDone) {
      throw std::runtime_error("a plan was not defined");
    }
  }
}

std::vector<uint64_t> HonestClient::Places(size_t count, size_t bytes) {
  const size_t slot = (bytes + 7) / 8 * 8;
  std::vector<uint64_t> slots(RawClient::kRegionBytes / slot);
  for (size_t i = 0; i < slots.size(); ++i) slots[i] = i * slot;
  std::shuffle(slots.begin(), slots.end(), random_);
  slots.resize(count);
  return slots;
}

Ended HonestClient::Run(uint16_t plan, uint32_t stripes, size_t bytes,
                        const std::vector<uint64_t>& sources,
                        const std::vector<uint64_t>& outputs) {
  RecordHeader header{};
  header.plan = plan;
  header.stripes = stripes;
  header.id = next_id_++;
  header.shard_bytes = bytes;
  client_.Write(RunRecord(header, sources, outputs));
  client_.Publish();
  const std::optional<Ended> ended = client_.Take();
  if (!ended.has_value()) {
    ADD_FAILURE() << "no completion came";
    return {0, Outcome::kRefused, 0};
  }
  EXPECT_EQ(ended->id, header.id);
  return *ended;
}

void HonestClient::ExpectRegion() {
  ASSERT_EQ(std::memcmp(client_.data(), expected_.data(), expected_.size()), 0);
}

void HonestClient::Round() {
  const Geometry& geometry = TestedGeometry();
  const uint32_t stripes = 1 + random_() % 3;
  const size_t bytes = 1 + random_() % (random_() % 2 == 0 ? 100 : 8'000);
  // Of every stripe: all shards, two more for new contents; and at the end the report.
  constexpr uint32_t kOfStripe = 8;
  const std::vector<uint64_t> places = Places(size_t{kOfStripe} * stripes + 1, bytes + 200);
  const auto fill = [this, bytes](uint64_t place) {
    Bytes noise = codec::Noise(bytes, random_);
    std::memcpy(client_.data() + place, noise.data(), bytes);
    std::memcpy(expected_.data() + place, noise.data(), bytes);
    return noise;
  };
  const auto expect = [this](uint64_t place, const Bytes& contents) {
    std::memcpy(expected_.data() + place, contents.data(), contents.size());
  };
  const auto of = [&](uint32_t stripe, uint32_t shard) {
    return places[stripe * kOfStripe + shard];
  };
  std::vector<std::vector<Bytes>> data(stripes);
  std::vector<uint64_t> sources, outputs;
  for (uint32_t s = 0; s < stripes; ++s) {
    for (uint32_t i = 0; i < 4; ++i) {
      data[s].push_back(fill(of(s, i)));
      sources.push_back(of(s, i));
    }
    const std::vector<Bytes> parity = codec::DefinedParity(geometry, data[s], bytes);
    for (uint32_t i = 0; i < 2; ++i) {
      outputs.push_back(of(s, 4 + i));
      expect(of(s, 4 + i), parity[i]);
    }
  }
  ASSERT_EQ(Run(kEncodePlan, stripes, bytes, sources, outputs).outcome, Outcome::kDone);
  ASSERT_NO_FATAL_FAILURE(ExpectRegion());

  // Shards 3 and 1 are written over, and come back.
  sources.clear();
  outputs.clear();
  for (uint32_t s = 0; s < stripes; ++s) {
    for (const uint32_t lost : {3, 1}) {
      std::memset(client_.data() + of(s, lost), 0xee, bytes);
      outputs.push_back(of(s, lost));
    }
    for (const uint32_t i : {0, 2, 4, 5}) sources.push_back(of(s, i));
  }
  ASSERT_EQ(Run(kRestorePlan, stripes, bytes, sources, outputs).outcome, Outcome::kDone);
  ASSERT_NO_FATAL_FAILURE(ExpectRegion());

  // Shards 2 and 0 change.
  sources.clear();
  for (uint32_t s = 0; s < stripes; ++s) {
    std::vector<Bytes> after = data[s];
    after[2] = fill(of(s, 6));
    after[0] = fill(of(s, 7));
    for (const uint32_t i : {2, 0, 6, 7, 4, 5}) sources.push_back(of(s, i));
    const std::vector<Bytes> parity = codec::DefinedParity(geometry, after, bytes);
    for (uint32_t i = 0; i < 2; ++i) expect(of(s, 4 + i), parity[i]);
  }
  ASSERT_EQ(Run(kUpdatePlan, stripes, bytes, sources, {}).outcome, Outcome::kDone);
  ASSERT_NO_FATAL_FAILURE(ExpectRegion());

  // One byte of parity of the last stripe is wrong, now and then.
  sources.clear();
  for (uint32_t s = 0; s < stripes; ++s) {
    for (const uint32_t i : {7, 1, 6, 3, 4, 5}) sources.push_back(of(s, i));
  }
  const bool damaged = random_() % 2 == 0;
  const uint64_t at = random_() % bytes;
  const uint64_t report_place = places.back();
  VerifyReport report{0, 0, VerifyReport::kNoSuspect, 0};
  if (damaged) {
    client_.data()[of(stripes - 1, 5) + at] ^= 1;
    expected_[of(stripes - 1, 5) + at] ^= 1;
    report.mismatches = 1;
    report.suspect = 5;
    const VerifyReport::Mismatch mismatch{stripes - 1, 5, at};
    std::memcpy(expected_.data() + report_place + sizeof report, &mismatch, sizeof mismatch);
  }
  std::memcpy(expected_.data() + report_place, &report, sizeof report);
  ASSERT_EQ(Run(kVerifyPlan, stripes, bytes, sources, {report_place}).outcome,
            damaged ? Outcome::kInconsistent : Outcome::kDone);
  ASSERT_NO_FATAL_FAILURE(ExpectRegion());
}

void ExpectServes(const LiveServer& server, uint32_t seed) {
  HonestClient client(server.path(), seed);
  for (int round = 0; round < 3; ++round) client.Round();
}

}  // namespace parity::shm
