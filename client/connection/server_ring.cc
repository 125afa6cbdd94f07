#include "server_ring.h"

#include <poll.h>
#include <sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "parity/codec/field_error.h"
#include "parity/shm/handshake.h"
#include "parity/shm/pause.h"

namespace parity::client {
namespace {

using codec::InvalidField;
using shm::Completion;
using shm::Completions;
using shm::Outcome;
using shm::RecordHeader;
using shm::Submissions;
using Clock = std::chrono::steady_clock;

static_assert(Ring::kMaxJobs == shm::kCompletionEntries);
static_assert(Ring::kMaxPlans == shm::kMaxPlans);

// While it spins, Wait gives way to other threads this often: whoever computes may need this CPU.
constexpr std::chrono::microseconds kYieldInterval{2};
// A yield that takes so long let others run for their whole turn: the CPU is wanted. Whoever sleeps
// is woken before them, whoever spins waits for turn after turn; so for a while it does not spin.
constexpr std::chrono::microseconds kLongYield{500};
constexpr std::chrono::milliseconds kCrowdedFor{100};
// Looks between two readings of the clock, which cost more than a look.
constexpr int kLooksPerReading = 16;

shm::Operation ToShm(Operation operation) {
  switch (operation) {
    case Operation::kEncode:
      return shm::Operation::kEncode;
    case Operation::kReconstruct:
      return shm::Operation::kReconstruct;
    case Operation::kVerify:
      return shm::Operation::kVerify;
    case Operation::kUpdate:
      return shm::Operation::kUpdate;
  }
  return shm::Operation::kEncode;
}

absl::Status Inherited() {
  return absl::UnavailableError("the ring is the process's that this one was forked from");
}

size_t ReportBytesFor(uint32_t parity_shards, uint32_t stripes) {
  const uint64_t most = uint64_t{parity_shards} * stripes;
  return sizeof(shm::VerifyReport) + std::min<uint64_t>(most, shm::VerifyReport::kMaxMismatches) *
                                         sizeof(shm::VerifyReport::Mismatch);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerRing>> ServerRing::Open(const RingOptions& options) {
  absl::StatusOr<RingMemories> memories = OpenRing(options, absl::Now() + options.connect_timeout);
  if (!memories.ok()) return memories.status();
  return std::make_unique<ServerRing>(*std::move(memories), options);
}

ServerRing::ServerRing(RingMemories memories, const RingOptions& options)
    : memories_(std::move(memories)),
      submissions_(*reinterpret_cast<Submissions*>(memories_.submissions.data())),
      completions_(*reinterpret_cast<const Completions*>(memories_.completions.data())),
      spin_(absl::ToChronoNanoseconds(options.spin)) {
  for (size_t i = 0; i < kMaxJobs; ++i) free_slots_[i] = static_cast<uint16_t>(kMaxJobs - 1 - i);
}

absl::Status ServerRing::Define(uint16_t place, const RingPlan& plan, uint64_t id) {
  if (place >= kMaxPlans) {
    return InvalidField("plan", place, absl::StrCat("a place less than ", kMaxPlans));
  }
  constexpr size_t kMost = codec::Geometry::kMaxShards;
  if (plan.indices.size() > kMost || plan.wanted.size() > kMost) {
    return InvalidField(
        "plan", absl::StrCat(plan.indices.size(), " indices, ", plan.wanted.size(), " wanted"),
        absl::StrCat("at most ", kMost));
  }
  const shm::Plan shm_plan{ToShm(plan.operation), plan.geometry, plan.indices, plan.wanted};
  const std::vector<uint64_t> words = shm::PlanWords(shm_plan);
  RecordHeader header{};
  header.kind = shm::RecordKind::kDefine;
  header.plan = place;
  header.words = RecordHeader::kWords + words.size();
  if (header.words > shm::kMaxRecordWords) {
    return InvalidField("plan", absl::StrCat(header.words, " words"),
                        absl::StrCat("at most ", shm::kMaxRecordWords));
  }
  if (IsInherited()) return Inherited();
  if (!HasRoom(header.words)) return NoRoom();
  uint64_t at = Begin(header, {id, 0, 0, place, false});
  for (const uint64_t word : words) Put(at++, word);
  tail_ = at;
  Shape& shape = shapes_[place];
  shape.defined = true;
  shape.operation = plan.operation;
  shape.sources = shm_plan.sources();
  shape.outputs = shm_plan.outputs();
  shape.parity_shards = plan.geometry.parity_shards();
  return absl::OkStatus();
}

absl::Status ServerRing::NoRoom() const {
  if (IsClosed()) return absl::UnavailableError("the server has closed the connection");
  return absl::ResourceExhaustedError("the ring is full: take completions first");
}

absl::Status ServerRing::Submit(const RingJob& job) {
  if (job.plan >= kMaxPlans || !shapes_[job.plan].defined) {
    return InvalidField("plan", job.plan, "a place in which a plan is defined");
  }
  const Shape& shape = shapes_[job.plan];
  if (job.stripes == 0 || job.stripes > shm::kMaxStripes) {
    return InvalidField("stripes", job.stripes, absl::StrCat("1 to ", shm::kMaxStripes));
  }
  const size_t sources = size_t{shape.sources} * job.stripes;
  const size_t outputs = size_t{shape.outputs} * job.stripes;
  if (job.sources.size() != sources) {
    return InvalidField("sources", job.sources.size(), absl::StrCat(sources));
  }
  if (job.outputs.size() != outputs) {
    return InvalidField("outputs", job.outputs.size(), absl::StrCat(outputs));
  }
  if (!job.lengths.empty() && job.lengths.size() != sources) {
    return InvalidField("lengths", job.lengths.size(), absl::StrCat("none or ", sources));
  }
  if (job.shard_bytes == 0) return InvalidField("shard_bytes", 0, "at least 1 byte");
  const bool has_report = shape.operation == Operation::kVerify;
  RecordHeader header{};
  header.kind = shm::RecordKind::kRun;
  header.has_lengths = !job.lengths.empty();
  header.plan = job.plan;
  header.stripes = job.stripes;
  header.shard_bytes = job.shard_bytes;
  header.words =
      RecordHeader::kWords + sources + outputs + job.lengths.size() + (has_report ? 1 : 0);
  if (header.words > shm::kMaxRecordWords) {
    return InvalidField("stripes", absl::StrCat(job.stripes, " with ", header.words, " words"),
                        absl::StrCat("at most ", shm::kMaxRecordWords, " words"));
  }
  if (IsInherited()) return Inherited();
  if (!HasRoom(header.words)) return NoRoom();

  // Nothing that an error leaves half written counts: it is behind the tail.
  uint64_t at = tail_ + RecordHeader::kWords;
  for (size_t i = 0; i < sources; ++i) {
    const size_t bytes = job.lengths.empty() ? job.shard_bytes : job.lengths[i];
    // What has no bytes may be anywhere.
    uint64_t offset = 0;
    if (bytes > 0 && !Find(job.sources[i], bytes, offset)) {
      return InvalidField(absl::StrCat("sources[", i, "]"), "other memory", "memory of the ring");
    }
    Put(at++, offset);
  }
  for (size_t i = 0; i < outputs; ++i) {
    uint64_t offset;
    if (!Find(job.outputs[i], job.shard_bytes, offset)) {
      return InvalidField(absl::StrCat("outputs[", i, "]"), "other memory", "memory of the ring");
    }
    Put(at++, offset);
  }
  if (has_report) {
    uint64_t offset;
    const size_t bytes = ReportBytesFor(shape.parity_shards, job.stripes);
    if (!Find(job.report, bytes, offset) || offset % alignof(uint64_t) != 0) {
      return InvalidField("report", "other memory, or an odd address",
                          absl::StrCat(bytes, " bytes of the ring's memory, at a multiple of 8"));
    }
    Put(at++, offset);
  }
  for (size_t i = 0; i < job.lengths.size(); ++i) {
    if (job.lengths[i] > job.shard_bytes) {
      return InvalidField(absl::StrCat("lengths[", i, "]"), job.lengths[i],
                          absl::StrCat("at most shard_bytes (", job.shard_bytes, ")"));
    }
    Put(at++, job.lengths[i]);
  }
  Begin(header,
        {job.id, static_cast<uint32_t>(sources), static_cast<uint32_t>(outputs), job.plan, false});
  tail_ = at;
  return absl::OkStatus();
}

void ServerRing::Publish() {
  if (published_ == tail_ || IsInherited()) return;
  submissions_.tail.value.store(tail_, std::memory_order_release);
  published_ = tail_;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (completions_.sleeps.value.load(std::memory_order_relaxed) != 0) {
    shm::Wake(memories_.socket.get());
  }
}

absl::Span<const RingCompletion> ServerRing::Take(size_t most) {
  if (IsInherited()) return {};
  completed_.clear();
  const size_t ready = std::min<uint64_t>(Ready(), most);
  for (size_t i = 0; i < ready; ++i) {
    const Completion& entry = completions_.entries[taken_++ % shm::kCompletionEntries];
    const uint64_t slot = entry.id.load(std::memory_order_relaxed);
    const uint32_t outcome = entry.outcome.load(std::memory_order_relaxed);
    const uint32_t detail = entry.detail.load(std::memory_order_relaxed);
    if (slot >= kMaxJobs || slots_[slot].taken) {
      broken_ = true;
      break;
    }
    UnderWay& job = slots_[slot];
    const bool consistent = outcome == static_cast<uint32_t>(Outcome::kDone);
    completed_.push_back({job.id, StatusOf(outcome, detail, job), consistent});
    job.taken = true;
    free_slots_[free_++] = static_cast<uint16_t>(slot);
  }
  if (ready > 0) submissions_.taken_completions.value.store(taken_, std::memory_order_release);
  return completed_;
}

absl::Status ServerRing::Wait(absl::Time deadline, size_t at_least) {
  if (IsInherited()) return Inherited();
  Publish();
  at_least = std::clamp<size_t>(at_least, 1, std::max<size_t>(under_way(), 1));
  if (under_way() == 0 || Ready() >= at_least) return absl::OkStatus();
  if (!broken_) {
    absl::Status status = AwaitOthers(taken_, at_least, deadline);
    if (absl::IsUnavailable(status) && Ready() > 0) return absl::OkStatus();
    if (!status.ok() || Ready() > 0) return status;
  }
  return absl::UnavailableError("the server does not keep to the protocol of shared memory");
}

absl::Status ServerRing::AwaitOthers(uint64_t taken, size_t at_least, absl::Time deadline) {
  if (HasOthers(taken, at_least) || Spin(taken, at_least, deadline)) return absl::OkStatus();
  submissions_.sleeps.value.store(taken + at_least, std::memory_order_relaxed);
  absl::Status status = Sleep(taken, at_least, deadline);
  submissions_.sleeps.value.store(0, std::memory_order_relaxed);
  return status;
}

bool ServerRing::IsClosed() const {
  pollfd state = {memories_.socket.get(), POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0;
}

void ServerRing::End() {
  if (!IsInherited()) shutdown(memories_.socket.get(), SHUT_RDWR);
}

std::string ServerRing::ShardName(const UnderWay& job, uint32_t place) {
  if (place < job.sources) return absl::StrCat("sources[", place, "]");
  if (job.outputs == 0) return "report";
  return absl::StrCat("outputs[", place - job.sources, "]");
}

absl::Status ServerRing::StatusOf(uint32_t outcome, uint32_t detail, const UnderWay& job) {
  switch (static_cast<Outcome>(outcome)) {
    case Outcome::kDone:
    case Outcome::kInconsistent:
      return absl::OkStatus();
    case Outcome::kUnknownPlan:
      return InvalidField("plan", job.plan, "a place in which a plan is defined");
    case Outcome::kBadPlan:
      return InvalidField("plan", job.plan, "a plan that the server knows");
    case Outcome::kBadStripes:
      return InvalidField("stripes", "a number the server refuses",
                          absl::StrCat("1 to ", shm::kMaxStripes));
    case Outcome::kBadShardBytes:
      return InvalidField("shard_bytes", "too many, or 0",
                          "no more than the region has for all sources and outputs");
    case Outcome::kBadLength:
      return InvalidField(absl::StrCat("lengths[", detail, "]"), "a length the server refuses",
                          "at most shard_bytes, and shard_bytes for parity to update");
    case Outcome::kOutsideRegion:
      return InvalidField(ShardName(job, detail), "other memory", "memory of the ring");
    case Outcome::kOverlap:
      return InvalidField(ShardName(job, detail), "memory of another output or of a source",
                          "memory of its own");
    case Outcome::kUnaligned:
      return InvalidField("report", "an odd address", "a multiple of 8");
    case Outcome::kUndetermined:
      return codec::FieldError(absl::StatusCode::kFailedPrecondition, "present",
                               "shards that do not determine the wanted ones",
                               "more of the stripe's shards");
    case Outcome::kRefused:
      return InvalidField("plan", "indices that do not go with its geometry",
                          "each within the stripe, named once, and none wanted that is present");
    case Outcome::kTooManyFactors:
      return InvalidField("plan", "one that is too large with the others",
                          absl::StrCat("at most ", shm::kMaxPlanFactors,
                                       " factors in all plans, k * m and k for each wanted shard"));
  }
  return absl::InternalError(absl::StrCat("outcome: got ", outcome, ", which is unknown"));
}

bool ServerRing::HasRoom(uint64_t words) {
  if (free_ == 0) return false;
  if (shm::kSubmissionWords - (tail_ - taken_words_) >= words) return true;
  const uint64_t taken = completions_.taken_words.value.load(std::memory_order_acquire);
  if (published_ - taken > shm::kSubmissionWords) {
    broken_ = true;
    return false;
  }
  taken_words_ = taken;
  return shm::kSubmissionWords - (tail_ - taken_words_) >= words;
}

bool ServerRing::Find(const uint8_t* data, uint64_t bytes, uint64_t& offset) const {
  offset = reinterpret_cast<uintptr_t>(data) - reinterpret_cast<uintptr_t>(memories_.region.data());
  const uint64_t all = memories_.region.bytes();
  return offset <= all && bytes <= all - offset;
}

void ServerRing::Put(uint64_t at, uint64_t word) {
  submissions_.words[at % shm::kSubmissionWords].store(word, std::memory_order_relaxed);
}

uint64_t ServerRing::Begin(RecordHeader& header, const UnderWay& job) {
  const uint16_t slot = free_slots_[--free_];
  slots_[slot] = job;
  header.id = slot;
  std::array<uint64_t, RecordHeader::kWords> words;
  header.Write(words.data());
  for (size_t i = 0; i < words.size(); ++i) Put(tail_ + i, words[i]);
  return tail_ + words.size();
}

uint64_t ServerRing::Ready() {
  if (broken_) return 0;
  const uint64_t ready = completions_.tail.value.load(std::memory_order_acquire) - taken_;
  if (ready <= under_way()) return ready;
  broken_ = true;
  return 0;
}

bool ServerRing::HasOthers(uint64_t taken, size_t at_least) const {
  // What cannot be, a tail before those taken, counts as many.
  return completions_.tail.value.load(std::memory_order_acquire) - taken >= at_least;
}

bool ServerRing::SeesOthers(uint64_t taken, size_t at_least) const {
  for (int i = 0; i < kLooksPerReading; ++i) {
    if (HasOthers(taken, at_least)) return true;
    shm::Pause();
  }
  return false;
}

bool ServerRing::Spin(uint64_t taken, size_t at_least, absl::Time deadline) {
  if (spin_ <= std::chrono::nanoseconds(0)) return false;
  // Most jobs of a few KiB are done before the clocks need be read.
  if (SeesOthers(taken, at_least)) return true;
  const Clock::time_point begin = Clock::now();
  if (begin < crowded_until_) return false;
  const auto until_deadline = absl::ToChronoNanoseconds(deadline - absl::Now());
  const Clock::time_point end = begin + std::min(spin_, until_deadline);
  Clock::time_point yielded = begin;
  for (;;) {
    if (SeesOthers(taken, at_least)) return true;
    const Clock::time_point now = Clock::now();
    if (now >= end) return false;
    if (now - yielded >= kYieldInterval) {
      sched_yield();
      yielded = Clock::now();
      if (yielded - now >= kLongYield) crowded_until_ = yielded + kCrowdedFor;
      if (yielded < crowded_until_) return HasOthers(taken, at_least);
    }
  }
}

absl::Status ServerRing::Sleep(uint64_t taken, size_t at_least, absl::Time deadline) {
  for (;;) {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (HasOthers(taken, at_least)) return absl::OkStatus();
    if (closed_) return absl::UnavailableError("the server has closed the connection");
    const absl::Duration left = std::max(deadline - absl::Now(), absl::ZeroDuration());
    // Longer than anybody waits, and what a timespec surely holds.
    const timespec timeout = absl::ToTimespec(std::min(left, absl::Hours(24)));
    pollfd readable = {memories_.socket.get(), POLLIN, 0};
    const int ready = ppoll(&readable, 1, &timeout, nullptr);
    if (ready > 0) {
      // Once closed, what was published before is looked at a last time.
      if (!shm::TakeWakes(memories_.socket.get())) closed_ = true;
    } else if (ready == -1 && errno != EINTR) {
      return absl::ErrnoToStatus(errno, "ppoll");
    } else if (absl::Now() >= deadline) {
      return absl::DeadlineExceededError("no completion has come");
    }
  }
}

}  // namespace parity::client
