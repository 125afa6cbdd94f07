#include "parity/client/ring.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <unordered_set>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/client/local_coder.h"
#include "parity/codec/field_error.h"
#include "scripted_server.h"

namespace parity::client {
namespace {

using ::testing::HasSubstr;

RingOptions OptionsFor(const ScriptedServer& server) {
  RingOptions options;
  options.target = server.target();
  options.region_bytes = 1 << 20;
  options.connect_timeout = absl::Seconds(2);
  return options;
}

codec::Geometry ReedSolomon(uint32_t k, uint32_t m) {
  return *codec::Geometry::Make(codec::Code::kReedSolomon, k, m);
}

void Shake(ScriptedSession& session, const std::function<void()>& then) {
  if (session.ShakeHands()) then();
}

void Serve(ScriptedSession& session) {
  Shake(session, [&session] { session.ServeAll(); });
}

absl::Time In(absl::Duration duration) { return absl::Now() + duration; }

std::unique_ptr<Ring> MustConnect(const ScriptedServer& server) {
  auto ring = Ring::Connect(OptionsFor(server));
  EXPECT_TRUE(ring.ok()) << ring.status();
  return ring.ok() ? *std::move(ring) : nullptr;
}

// Waits for one completion.
RingCompletion One(Ring& ring) {
  const absl::Status status = ring.Wait(In(absl::Seconds(5)));
  EXPECT_TRUE(status.ok()) << status;
  const auto taken = ring.Take(1);
  EXPECT_EQ(taken.size(), 1u);
  return taken.empty() ? RingCompletion{0, absl::InternalError("none"), false} : taken[0];
}

void Define(Ring& ring, const RingPlan& plan, uint16_t place = 0) {
  ASSERT_TRUE(ring.Define(place, plan, 77).ok());
  const RingCompletion defined = One(ring);
  ASSERT_EQ(defined.id, 77u);
  ASSERT_TRUE(defined.status.ok()) << defined.status;
}

// A job on one stripe: `k` times the same source, and an output apart from it.
struct SmallJob {
  SmallJob(Ring& ring, size_t k, size_t shard_bytes)
      : sources(k, ring.memory().data()), outputs(1, ring.memory().data() + 100) {
    job.shard_bytes = shard_bytes;
    job.sources = sources;
    job.outputs = outputs;
  }
  SmallJob(const SmallJob&) = delete;
  SmallJob& operator=(const SmallJob&) = delete;

  std::vector<const uint8_t*> sources;
  std::vector<uint8_t*> outputs;
  RingJob job;
};

TEST(RingConnect, NamesWhatIsWrongWithTheOptions) {
  for (const char* target : {"127.0.0.1:7420", "nonsense", ""}) {
    RingOptions options;
    options.target = target;
    EXPECT_EQ(codec::FieldOf(Ring::Connect(options).status()), "target") << target;
  }
  RingOptions options;
  options.target = "unix:" + std::string(104, 'p');
  EXPECT_EQ(codec::FieldOf(Ring::Connect(options).status()), "target");
  options.target = "unix:/nowhere";
  options.region_bytes = 0;
  EXPECT_EQ(codec::FieldOf(Ring::Connect(options).status()), "region_bytes");
}

TEST(RingConnect, IsUnavailableWithoutAServer) {
  RingOptions options;
  options.target = "unix:/nowhere/parityd.sock";
  const absl::Status status = Ring::Connect(options).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/parityd.sock.shm"));
}

TEST(RingConnect, SaysWhatTheServerSaidWhenItRefused) {
  const ScriptedServer server([](ScriptedSession& session) {
    session.Refuse(absl::StatusCode::kResourceExhausted, "no room for 1 MiB");
  });
  for (int i = 0; i < 20; ++i) {
    const absl::Status status = Ring::Connect(OptionsFor(server)).status();
    EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("no room for 1 MiB"));
  }
}

TEST(RingConnect, AsksForTheNodeAndTheSize) {
  shm::Hello seen;
  const ScriptedServer server([&seen](ScriptedSession& session) {
    session.AwaitHello();
    seen = session.hello();
    session.Refuse(absl::StatusCode::kUnavailable, "");
  });
  RingOptions options = OptionsFor(server);
  options.node = 3;
  options.region_bytes = 12'345;
  EXPECT_FALSE(Ring::Connect(options).ok());
  EXPECT_EQ(seen.node, 3);
  EXPECT_EQ(seen.region_bytes, 12'345u);
  options.node.reset();
  EXPECT_FALSE(Ring::Connect(options).ok());
  EXPECT_GE(seen.node, 0);
}

TEST(RingConnect, DoesNotWaitForeverForAServerThatIsSilent) {
  const ScriptedServer server([](ScriptedSession& session) { session.AwaitGone(); });
  RingOptions options = OptionsFor(server);
  options.connect_timeout = absl::Milliseconds(50);
  EXPECT_TRUE(absl::IsDeadlineExceeded(Ring::Connect(options).status()));
}

// What a server may get wrong in its answer.
TEST(RingConnect, IsUnavailableIfTheAnswerCannotBe) {
  using Spoil = std::function<void(shm::Welcome&)>;
  const std::vector<Spoil> all = {
      [](shm::Welcome& welcome) { welcome.magic ^= 1; },
      [](shm::Welcome& welcome) { ++welcome.version; },
      [](shm::Welcome& welcome) { welcome.region_bytes /= 2; },
      [](shm::Welcome& welcome) { welcome.region_bytes += 1; },
      [](shm::Welcome& welcome) { welcome.region_bytes *= 2; },  // more than there is
      [](shm::Welcome& welcome) { welcome.region_bytes = UINT64_MAX & ~uint64_t{4095}; },
      [](shm::Welcome& welcome) { welcome.submissions_bytes = 4096; },
      [](shm::Welcome& welcome) { welcome.submissions_bytes *= 2; },
      [](shm::Welcome& welcome) { welcome.completions_bytes = 0; },
      [](shm::Welcome& welcome) { welcome.completions_bytes = UINT64_MAX; },
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const ScriptedServer server([&spoil = all[i]](ScriptedSession& session) {
      session.AwaitHello();
      shm::Welcome welcome = session.Make();
      spoil(welcome);
      session.SendWelcome(welcome);
      session.AwaitGone();
    });
    const absl::Status status = Ring::Connect(OptionsFor(server)).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << i << ": " << status;
  }
}

TEST(RingConnect, IsUnavailableIfTheServerLeavesOrTalksNonsense) {
  const std::vector<ScriptedServer::Behaviour> all = {
      [](ScriptedSession&) {},
      [](ScriptedSession& session) { session.AwaitHello(); },
      [](ScriptedSession& session) {
        session.AwaitHello();
        EXPECT_TRUE(shm::Send(session.socket(), "hm", 2).ok());
        session.AwaitGone();
      },
      [](ScriptedSession& session) {  // no descriptors
        session.AwaitHello();
        EXPECT_TRUE(shm::Send(session.socket(), session.Make()).ok());
        session.AwaitGone();
      },
      [](ScriptedSession& session) {  // too few
        session.AwaitHello();
        const shm::Welcome welcome = session.Make();
        const std::vector<int> descriptors = session.region().descriptors();
        EXPECT_TRUE(
            shm::Send(session.socket(), welcome, absl::MakeConstSpan(descriptors).first(2)).ok());
        session.AwaitGone();
      },
      [](ScriptedSession& session) {  // leaves before it has sealed
        session.AwaitHello();
        session.SendWelcome(session.Make());
        session.AwaitMapped();
      },
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const ScriptedServer server(all[i]);
    const absl::Status status = Ring::Connect(OptionsFor(server)).status();
    EXPECT_TRUE(absl::IsUnavailable(status)) << i << ": " << status;
  }
}

TEST(Ring, EncodesAndVerifiesAndReportsWhere) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server);
  const codec::Geometry geometry = ReedSolomon(4, 2);
  Define(*ring, {Operation::kEncode, geometry, {}, {}}, 0);
  Define(*ring, {Operation::kVerify, geometry, {}, {}}, 63);
  const size_t bytes = 1'000;
  uint8_t* const memory = ring->memory().data();
  std::vector<const uint8_t*> sources;
  std::vector<uint8_t*> outputs;
  std::vector<ShardBytes> shards;
  for (size_t i = 0; i < 4; ++i) {
    std::memset(memory + i * bytes, static_cast<int>('a' + i), bytes);
    sources.push_back(memory + i * bytes);
    shards.emplace_back(sources.back(), bytes);
  }
  for (size_t i = 4; i < 6; ++i) outputs.push_back(memory + i * bytes);
  RingJob job;
  job.id = 5;
  job.shard_bytes = bytes;
  job.sources = sources;
  job.outputs = outputs;
  ASSERT_TRUE(ring->Submit(job).ok());
  EXPECT_EQ(ring->under_way(), 1u);
  RingCompletion done = One(*ring);
  EXPECT_EQ(done.id, 5u);
  EXPECT_TRUE(done.status.ok()) << done.status;
  EXPECT_EQ(ring->under_way(), 0u);
  std::vector<uint8_t> p(bytes), q(bytes);
  ASSERT_TRUE(
      (*MakeLocalCoder("auto"))->Encode(geometry, shards, bytes, {p.data(), q.data()}).ok());
  EXPECT_EQ(std::memcmp(outputs[0], p.data(), bytes), 0);
  EXPECT_EQ(std::memcmp(outputs[1], q.data(), bytes), 0);

  outputs[1][700] ^= 1;
  sources.insert(sources.end(), outputs.begin(), outputs.end());
  job.plan = 63;
  job.sources = sources;
  job.outputs = {};
  job.report = memory + 64 * 1'024;
  ASSERT_TRUE(ring->Submit(job).ok());
  done = One(*ring);
  EXPECT_TRUE(done.status.ok()) << done.status;
  EXPECT_FALSE(done.consistent);
  const RingReport report =
      Ring::ReadReport({job.report, Ring::ReportBytes(geometry, job.stripes)});
  ASSERT_EQ(report.mismatches.size(), 1u);
  EXPECT_EQ(report.mismatches[0].at.shard, 5u);
  EXPECT_EQ(report.mismatches[0].at.offset, 700u);
  EXPECT_EQ(report.suspect, 5u);
}

TEST(RingReport, IsReadNoFurtherThanItsMemory) {
  shm::VerifyReport header{};
  header.mismatches = UINT32_MAX;
  header.more = 1;
  header.suspect = shm::VerifyReport::kNoSuspect;
  std::vector<uint8_t> bytes(sizeof header + 2 * sizeof(shm::VerifyReport::Mismatch) + 3);
  std::memcpy(bytes.data(), &header, sizeof header);
  const RingReport report = Ring::ReadReport(bytes);
  EXPECT_EQ(report.mismatches.size(), 2u);
  EXPECT_TRUE(report.more);
  EXPECT_FALSE(report.suspect.has_value());
  EXPECT_TRUE(Ring::ReadReport(absl::MakeSpan(bytes).first(3)).mismatches.empty());
}

TEST(Ring, NamesTheFieldOfAJobThatItsPlanDoesNotCallFor) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server);
  Define(*ring, {Operation::kEncode, ReedSolomon(2, 1), {}, {}}, 0);
  Define(*ring, {Operation::kVerify, ReedSolomon(2, 1), {}, {}}, 1);
  const absl::Span<uint8_t> memory = ring->memory();
  std::vector<uint8_t> other(100);
  const std::vector<const uint8_t*> sources = {memory.data(), memory.data() + 100};
  const std::vector<uint8_t*> outputs = {memory.data() + 200};
  const std::vector<const uint8_t*> all = {sources[0], sources[1], outputs[0]};
  RingJob good;
  good.shard_bytes = 100;
  good.sources = sources;
  good.outputs = outputs;
  const auto field = [&ring](const RingJob& job) {
    const size_t before = ring->under_way();
    const absl::Status status = ring->Submit(job);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_EQ(ring->under_way(), before);
    return codec::FieldOf(status).value_or("");
  };
  RingJob job = good;
  job.plan = 2;
  EXPECT_EQ(field(job), "plan");
  job.plan = 64;
  EXPECT_EQ(field(job), "plan");
  job = good;
  job.stripes = 0;
  EXPECT_EQ(field(job), "stripes");
  job.stripes = 1'025;
  EXPECT_EQ(field(job), "stripes");
  job.stripes = 2;
  EXPECT_EQ(field(job), "sources");
  job = good;
  job.outputs = {};
  EXPECT_EQ(field(job), "outputs");
  job = good;
  job.shard_bytes = 0;
  EXPECT_EQ(field(job), "shard_bytes");
  job = good;
  const std::vector<size_t> lengths = {100, 101};
  job.lengths = lengths;
  EXPECT_EQ(field(job), "lengths[1]");
  job.lengths = absl::MakeConstSpan(lengths).first(1);
  EXPECT_EQ(field(job), "lengths");
  job = good;
  const std::vector<const uint8_t*> outside = {memory.data(), memory.end() - 99};
  job.sources = outside;
  EXPECT_EQ(field(job), "sources[1]");
  const std::vector<const uint8_t*> before = {memory.data() - 1, memory.data()};
  job.sources = before;
  EXPECT_EQ(field(job), "sources[0]");
  job = good;
  const std::vector<uint8_t*> elsewhere = {other.data()};
  job.outputs = elsewhere;
  EXPECT_EQ(field(job), "outputs[0]");
  job = good;
  job.plan = 1;
  job.sources = all;
  job.outputs = {};
  EXPECT_EQ(field(job), "report");
  job.report = memory.data() + 1'001;
  EXPECT_EQ(field(job), "report");
  job.report = memory.end() - 16;  // of 40
  EXPECT_EQ(field(job), "report");
  EXPECT_EQ(codec::FieldOf(ring->Define(64, {Operation::kEncode, ReedSolomon(2, 1), {}, {}}, 0)),
            "plan");
  // A source without bytes may be anywhere.
  const std::vector<size_t> empty = {100, 0};
  const std::vector<const uint8_t*> with_null = {memory.data(), nullptr};
  job = good;
  job.sources = with_null;
  job.lengths = empty;
  EXPECT_TRUE(ring->Submit(job).ok());
  EXPECT_TRUE(One(*ring).status.ok());
}

TEST(Ring, TurnsEveryOutcomeIntoAnErrorThatNamesTheField) {
  struct Case {
    uint32_t outcome;
    uint32_t detail;
    absl::StatusCode code;
    std::string field;
  };
  const auto outcome = [](shm::Outcome value) { return static_cast<uint32_t>(value); };
  using shm::Outcome;
  const auto invalid = absl::StatusCode::kInvalidArgument;
  const std::vector<Case> cases = {
      {outcome(Outcome::kDone), 0, absl::StatusCode::kOk, ""},
      {outcome(Outcome::kUnknownPlan), 0, invalid, "plan"},
      {outcome(Outcome::kBadPlan), 0, invalid, "plan"},
      {outcome(Outcome::kBadStripes), 0, invalid, "stripes"},
      {outcome(Outcome::kBadShardBytes), 0, invalid, "shard_bytes"},
      {outcome(Outcome::kBadLength), 1, invalid, "lengths[1]"},
      {outcome(Outcome::kOutsideRegion), 1, invalid, "sources[1]"},
      {outcome(Outcome::kOverlap), 2, invalid, "outputs[0]"},
      {outcome(Outcome::kUndetermined), 0, absl::StatusCode::kFailedPrecondition, "present"},
      {outcome(Outcome::kRefused), 0, invalid, "plan"},
      {outcome(Outcome::kTooManyFactors), 0, invalid, "plan"},
      {13, 0, absl::StatusCode::kInternal, ""},
      {UINT32_MAX, UINT32_MAX, absl::StatusCode::kInternal, ""},
  };
  const ScriptedServer server([&cases](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    session.Serve(*session.Next());
    for (const Case& one : cases) {
      const auto record = session.Next();
      if (!record.has_value()) return;
      session.Answer(shm::RecordHeader::Read(*record).id, static_cast<Outcome>(one.outcome),
                     one.detail);
    }
    session.AwaitGone();
  });
  const auto ring = MustConnect(server);
  Define(*ring, {Operation::kEncode, ReedSolomon(2, 1), {}, {}});
  SmallJob small(*ring, 2, 10);
  RingJob& job = small.job;
  for (const Case& one : cases) {
    ASSERT_TRUE(ring->Submit(job).ok());
    const RingCompletion done = One(*ring);
    EXPECT_EQ(done.status.code(), one.code) << done.status;
    EXPECT_EQ(codec::FieldOf(done.status).value_or(""), one.field) << done.status;
    EXPECT_EQ(done.consistent, one.code == absl::StatusCode::kOk);
  }
}

TEST(Ring, BelongsToTheParentAfterAFork) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server);
  Define(*ring, {Operation::kEncode, ReedSolomon(2, 1), {}, {}});
  SmallJob small(*ring, 2, 10);
  RingJob& job = small.job;
  const pid_t child = fork();
  if (child == 0) {
    const bool refused = absl::IsUnavailable(ring->Submit(job)) &&
                         absl::IsUnavailable(ring->Wait(absl::InfiniteFuture())) &&
                         ring->Take().empty();
    _exit(refused ? 0 : 1);
  }
  int exit_status = -1;
  ASSERT_EQ(waitpid(child, &exit_status, 0), child);
  EXPECT_EQ(exit_status, 0);
  ASSERT_TRUE(ring->Submit(job).ok());
  EXPECT_TRUE(One(*ring).status.ok());
}

// Records of every length, many times around the ring, with the server behind and ahead.
TEST(Ring, WordsWrapAround) {
  const ScriptedServer server(Serve);
  const auto ring = MustConnect(server);
  const codec::Geometry geometry = ReedSolomon(3, 2);
  Define(*ring, {Operation::kEncode, geometry, {}, {}});
  uint8_t* const memory = ring->memory().data();
  std::unordered_set<uint64_t> open;
  uint64_t id = 100;
  uint64_t words = 0;
  uint32_t stripes = 1;
  std::vector<const uint8_t*> sources;
  std::vector<uint8_t*> outputs;
  std::vector<size_t> lengths;
  while (words < 20 * shm::kSubmissionWords) {
    stripes = (stripes * 7 + 1) % 700 + 1;
    sources.clear();
    outputs.clear();
    lengths.clear();
    for (uint32_t i = 0; i < 3 * stripes; ++i) {
      sources.push_back(memory + i % 50);
      lengths.push_back(i % 9);
    }
    for (uint32_t i = 0; i < 2 * stripes; ++i) outputs.push_back(memory + 100 + i * 8);
    RingJob job;
    job.id = id;
    job.stripes = stripes;
    job.shard_bytes = 8;
    job.sources = sources;
    job.lengths = lengths;
    job.outputs = outputs;
    absl::Status status = ring->Submit(job);
    while (absl::IsResourceExhausted(status)) {
      ASSERT_TRUE(ring->Wait(In(absl::Seconds(5))).ok());
      for (const RingCompletion& done : ring->Take()) {
        EXPECT_TRUE(done.status.ok()) << done.status;
        EXPECT_EQ(open.erase(done.id), 1u);
      }
      status = ring->Submit(job);
    }
    ASSERT_TRUE(status.ok()) << status;
    open.insert(id++);
    words += 4 + 8 * stripes;
    if (id % 3 == 0) ring->Publish();
  }
  while (ring->under_way() > 0) {
    ASSERT_TRUE(ring->Wait(In(absl::Seconds(5))).ok());
    for (const RingCompletion& done : ring->Take(7)) EXPECT_EQ(open.erase(done.id), 1u);
  }
  EXPECT_TRUE(open.empty());
}

TEST(Ring, SaysThatItIsFullAndTakesMoreOnceCompletionsAreTaken) {
  ScriptedServer server([](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    session.Serve(*session.Next());
    session.AwaitGate();
    session.ServeAll();
  });
  const auto ring = MustConnect(server);
  Define(*ring, {Operation::kEncode, ReedSolomon(1, 1), {}, {}});
  SmallJob small(*ring, 1, 1);
  RingJob& job = small.job;
  for (size_t i = 0; i < Ring::kMaxJobs; ++i) ASSERT_TRUE(ring->Submit(job).ok()) << i;
  EXPECT_TRUE(absl::IsResourceExhausted(ring->Submit(job)));
  EXPECT_TRUE(absl::IsResourceExhausted(
      ring->Define(0, {Operation::kEncode, ReedSolomon(1, 1), {}, {}}, 0)));
  ring->Publish();
  EXPECT_TRUE(absl::IsDeadlineExceeded(ring->Wait(In(absl::Milliseconds(20)))));
  server.OpenGate();
  size_t taken = 0;
  while (ring->under_way() > 0) {
    ASSERT_TRUE(ring->Wait(In(absl::Seconds(5))).ok());
    taken += ring->Take(1).size();
    if (taken == 1) {
      EXPECT_TRUE(ring->Submit(job).ok());
    }
  }
  EXPECT_EQ(taken, Ring::kMaxJobs + 1);
  EXPECT_TRUE(ring->Wait(absl::InfinitePast()).ok());  // nothing is under way
}

TEST(Ring, IsUnavailableWhenTheServerDiesButGivesWhatItCompletedBefore) {
  const ScriptedServer server([](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    session.Serve(*session.Next());
    session.Serve(*session.Next());
  });
  const auto ring = MustConnect(server);
  Define(*ring, {Operation::kEncode, ReedSolomon(1, 1), {}, {}});
  SmallJob small(*ring, 1, 1);
  RingJob& job = small.job;
  ASSERT_TRUE(ring->Submit(job).ok());
  ASSERT_TRUE(ring->Submit(job).ok());
  EXPECT_TRUE(One(*ring).status.ok());
  const absl::Status status = ring->Wait(absl::InfiniteFuture());
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(ring->under_way(), 1u);
  EXPECT_TRUE(ring->Take().empty());
  ring->memory()[0] = 1;  // the memory stays
}

TEST(Ring, ServersThatWriteWhatCannotBeLoseTheirClient) {
  using Hostile = std::function<void(ScriptedSession&)>;
  const std::vector<Hostile> all = {
      // More completions than jobs.
      [](ScriptedSession& session) { session.region().completions().tail.value = 1'000'000; },
      // Of nothing that is under way.
      [](ScriptedSession& session) { session.Answer(UINT64_MAX, shm::Outcome::kDone); },
      [](ScriptedSession& session) { session.Answer(5, shm::Outcome::kDone); },
      // Backwards.
      [](ScriptedSession& session) { session.region().completions().tail.value = UINT64_MAX; },
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const ScriptedServer server([&hostile = all[i]](ScriptedSession& session) {
      if (!session.ShakeHands()) return;
      session.Serve(*session.Next());
      session.Next();
      hostile(session);
      shm::Wake(session.socket());
      session.AwaitGone();
    });
    const auto ring = MustConnect(server);
    Define(*ring, {Operation::kEncode, ReedSolomon(1, 1), {}, {}});
    SmallJob small(*ring, 1, 1);
    RingJob& job = small.job;
    ASSERT_TRUE(ring->Submit(job).ok());
    absl::Status status;
    for (int round = 0; status.ok() && round < 10 && ring->under_way() > 0; ++round) {
      status = ring->Wait(In(absl::Seconds(5)));
      ring->Take();
    }
    EXPECT_TRUE(absl::IsUnavailable(status)) << i << ": " << status;
  }
}

TEST(Ring, WaitsOutServersThatTakeTheirTime) {
  const ScriptedServer server([](ScriptedSession& session) {
    if (!session.ShakeHands()) return;
    while (const auto record = session.Next()) {
      usleep(session.records() % 5 * 40);  // around the time that the client spins
      session.Serve(*record);
    }
  });
  RingOptions options = OptionsFor(server);
  for (const absl::Duration spin : {absl::ZeroDuration(), absl::Microseconds(100)}) {
    options.spin = spin;
    auto ring = Ring::Connect(options);
    ASSERT_TRUE(ring.ok()) << ring.status();
    Define(**ring, {Operation::kEncode, ReedSolomon(1, 1), {}, {}});
    SmallJob small(**ring, 1, 1);
    RingJob& job = small.job;
    for (int i = 0; i < 500; ++i) {
      job.id = static_cast<uint64_t>(i);
      ASSERT_TRUE((*ring)->Submit(job).ok());
      ASSERT_EQ(One(**ring).id, job.id);
    }
  }
}

}  // namespace
}  // namespace parity::client
