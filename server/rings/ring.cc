#include "ring.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "counters.h"
#include "parity/shm/handshake.h"
#include "ring_request.h"

namespace parity::rings {
namespace {

using region::Fault;
using shm::Outcome;
using shm::RecordHeader;
using shm::RecordKind;

// Records taken before what they ask for is computed: enough for a batch, few enough that the
// client and the worker work at the same time.
constexpr int kRecordsPerTurn = 16;

// Requests kept for reuse, with the memory that they have: not those of more words, nor more of
// them.
constexpr size_t kMostKeptWords = 128;
constexpr size_t kMostKept = 256;

engine::Operation ToEngine(shm::Operation operation) {
  switch (operation) {
    case shm::Operation::kEncode:
      return engine::Operation::kEncode;
    case shm::Operation::kReconstruct:
      return engine::Operation::kReconstruct;
    case shm::Operation::kVerify:
      return engine::Operation::kVerify;
    case shm::Operation::kUpdate:
      return engine::Operation::kUpdate;
  }
  return engine::Operation::kEncode;
}

absl::Status Broken(absl::string_view what) { return absl::InvalidArgumentError(what); }

}  // namespace

Ring::Ring(std::shared_ptr<region::Region> region, endpoint::Descriptor socket, Counters& counters)
    : region_(std::move(region)),
      socket_(std::move(socket)),
      counters_(counters),
      submissions_(region_->submissions()),
      completions_(region_->completions()) {}

Ring::~Ring() = default;

uint64_t Ring::Available() const {
  const uint64_t tail =
      std::min(submissions_.tail.value.load(std::memory_order_acquire), last_word_);
  return tail - taken_words_;
}

bool Ring::HasRecords() const { return Available() != 0; }

absl::StatusOr<bool> Ring::TakeRecords(engine::StripeProcessor& processor) {
  uint64_t available = Available();
  if (available > shm::kSubmissionWords) {
    return Broken("more submissions than the ring has words");
  }
  bool any = false;
  for (int i = 0; i < kRecordsPerTurn && available > 0; ++i) {
    const uint64_t words_before = taken_words_;
    const size_t under_way_before = under_way_;
    const absl::StatusOr<bool> taken = TakeRecord(available, processor);
    if (!taken.ok()) return taken.status();
    if (!*taken) break;
    any = true;
    available -= taken_words_ - words_before;
    // A plan, or a record that was refused, is work that no turn counts: others go first now.
    if (under_way_ == under_way_before) break;
  }
  if (any) completions_.taken_words.value.store(taken_words_, std::memory_order_release);
  return any;
}

// False if it must wait for what is under way.
absl::StatusOr<bool> Ring::TakeRecord(uint64_t available, engine::StripeProcessor& processor) {
  if (available < RecordHeader::kWords) return Broken("a record without a header");
  CopyWords(taken_words_, RecordHeader::kWords);
  const RecordHeader header = RecordHeader::Read(words_);
  if (header.words < RecordHeader::kWords || header.words > shm::kMaxRecordWords ||
      header.words > available) {
    return Broken(
        absl::StrCat("a record of ", header.words, " words, of which ", available, " are there"));
  }
  // What requests cost to keep is bounded by the words of their records. A plan changes when
  // nothing runs, so that no more of them are kept than there are places.
  const bool must_wait =
      header.kind == RecordKind::kDefine || words_under_way_ + header.words > shm::kSubmissionWords;
  if (under_way_ > 0 && must_wait) return false;
  if (!HasRoomForCompletion()) return Broken("more records under way than there are completions");
  CopyWords(taken_words_, header.words);
  taken_words_ += header.words;
  switch (header.kind) {
    case RecordKind::kDefine:
      Define(header);
      return true;
    case RecordKind::kRun:
      if (absl::Status status = RunPlan(header, processor); !status.ok()) return status;
      return true;
  }
  return Broken(absl::StrCat("a record of kind ", static_cast<int>(header.kind)));
}

void Ring::CopyWords(uint64_t from, size_t count) {
  words_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    words_[i] =
        submissions_.words[(from + i) % shm::kSubmissionWords].load(std::memory_order_relaxed);
  }
}

bool Ring::HasRoomForCompletion() {
  const uint64_t promised = completed_ + under_way_;
  if (promised - taken_completions_ < shm::kCompletionEntries) return true;
  const uint64_t taken = submissions_.taken_completions.value.load(std::memory_order_acquire);
  // It can have taken no more than were published, nor fewer than before.
  if (taken > published_ || taken < taken_completions_) return false;
  taken_completions_ = taken;
  return promised - taken_completions_ < shm::kCompletionEntries;
}

void Ring::Define(const RecordHeader& header) {
  const Outcome outcome = TryDefine(header);
  // Of what it is, a plan that is none does not say.
  if (outcome != Outcome::kDone) RecordFailed(engine::Operation::kEncode);
  Complete(header.id, outcome, 0);
}

Outcome Ring::TryDefine(const RecordHeader& header) {
  if (header.plan >= shm::kMaxPlans) return Outcome::kUnknownPlan;
  std::shared_ptr<const DefinedPlan>& place = plans_[header.plan];
  place = nullptr;
  idle_requests_.clear();  // they keep the plan that they ran last
  std::optional<shm::Plan> plan =
      shm::PlanFrom(absl::MakeConstSpan(words_).subspan(RecordHeader::kWords));
  if (!plan.has_value()) return Outcome::kBadPlan;
  const codec::Geometry& geometry = plan->geometry;
  const size_t factors = geometry.data_shards() * (geometry.parity_shards() + plan->wanted.size());
  size_t all_factors = factors;
  for (const auto& other : plans_) {
    if (other != nullptr) all_factors += other->factors;
  }
  if (all_factors > shm::kMaxPlanFactors) return Outcome::kTooManyFactors;
  auto codec = std::make_shared<const codec::Codec>(geometry);
  const engine::Operation operation = ToEngine(plan->operation);
  place = std::make_shared<const DefinedPlan>(
      DefinedPlan{*std::move(plan), operation, std::move(codec), factors});
  return Outcome::kDone;
}

absl::Status Ring::RunPlan(const RecordHeader& header, engine::StripeProcessor& processor) {
  Fault fault;
  engine::Operation operation = engine::Operation::kEncode;
  std::unique_ptr<RingRequest> request;
  if (header.plan >= shm::kMaxPlans || plans_[header.plan] == nullptr) {
    fault = {Outcome::kUnknownPlan, 0};
  } else if (header.stripes == 0 || header.stripes > shm::kMaxStripes) {
    fault = {Outcome::kBadStripes, 0};
  } else {
    const std::shared_ptr<const DefinedPlan>& plan = plans_[header.plan];
    operation = plan->operation;
    if (header.words != shm::RunWords(plan->plan, header.stripes, header.has_lengths)) {
      return Broken(absl::StrCat("a record of ", header.words,
                                 " words, which is not what its plan ", "calls for"));
    }
    request = NewRequest();
    fault = request->Prepare(*region_, plan, header,
                             absl::MakeConstSpan(words_).subspan(RecordHeader::kWords));
  }
  if (!fault.ok()) {
    RecordFailed(operation);
    Complete(header.id, fault.outcome, fault.detail);
    return absl::OkStatus();
  }
  ++under_way_;
  words_under_way_ += header.words;
  processor.Queue(line_, *request.release());
  return absl::OkStatus();
}

void Ring::RecordFailed(engine::Operation operation) {
  counters_.answers.Failed(operation, absl::StatusCode::kInvalidArgument);
}

std::unique_ptr<RingRequest> Ring::NewRequest() {
  if (idle_requests_.empty()) return std::make_unique<RingRequest>(*this);
  std::unique_ptr<RingRequest> request = std::move(idle_requests_.back());
  idle_requests_.pop_back();
  return request;
}

void Ring::Ended(std::unique_ptr<RingRequest> request) {
  --under_way_;
  words_under_way_ -= request->words();
  if (request->words() <= kMostKeptWords && idle_requests_.size() < kMostKept) {
    idle_requests_.push_back(std::move(request));
  }
}

void Ring::Complete(uint64_t id, Outcome outcome, uint32_t detail) {
  shm::Completion& entry = completions_.entries[completed_ % shm::kCompletionEntries];
  entry.id.store(id, std::memory_order_relaxed);
  entry.outcome.store(static_cast<uint32_t>(outcome), std::memory_order_relaxed);
  entry.detail.store(detail, std::memory_order_relaxed);
  ++completed_;
}

void Ring::Publish() {
  if (published_ == completed_ || closed_) return;
  published_ = completed_;
  completions_.tail.value.store(published_, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  // Waking a thread takes up to 20 us of this one, so the client may ask for several at a time.
  const uint64_t awaited = submissions_.sleeps.value.load(std::memory_order_relaxed);
  if (awaited != 0 && (published_ >= awaited || under_way_ == 0)) shm::Wake(socket());
}

void Ring::SetSleeps(bool sleeps) {
  completions_.sleeps.value.store(sleeps ? 1 : 0, std::memory_order_relaxed);
}

void Ring::StopTaking() {
  last_word_ = submissions_.tail.value.load(std::memory_order_acquire);
  // Beyond what can be true it stays for TakeRecords to see.
}

void Ring::Close() {
  closed_ = true;
  last_word_ = taken_words_;
  shutdown(socket(), SHUT_RDWR);
}

}  // namespace parity::rings
