#include "scripted_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "parity/client/local_coder.h"

namespace parity::client {
namespace {

using endpoint::Descriptor;
using shm::Outcome;
using shm::RecordHeader;

constexpr int kPollMs = 1;

std::string NewPath() {
  static std::atomic<int> count{0};
  return absl::StrCat(testing::TempDir(), "/fake-", getpid(), "-", ++count, ".sock");
}

}  // namespace

void Gate::Open() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_open_ = true;
  opened_.notify_all();
}

void Gate::Await() {
  std::unique_lock<std::mutex> lock(mutex_);
  opened_.wait(lock, [this] { return is_open_; });
}

ScriptedSession::ScriptedSession(Descriptor socket, const std::atomic<bool>& ending, Gate& gate,
                                 uint64_t region_id)
    : socket_(std::move(socket)),
      ending_(ending),
      gate_(gate),
      region_id_(region_id),
      local_(*MakeLocalCoder("scalar")) {}

ScriptedSession::~ScriptedSession() = default;

bool ScriptedSession::ShakeHands() {
  if (!AwaitHello()) return false;
  SendWelcome(Make());
  if (!AwaitMapped()) return false;
  SendSealed();
  return true;
}

bool ScriptedSession::AwaitHello() {
  pollfd readable = {socket_.get(), POLLIN, 0};
  return poll(&readable, 1, 5'000) == 1 && shm::Receive(socket_.get(), hello_).ok();
}

shm::Welcome ScriptedSession::Make() {
  auto made = region::Region::Make(region_id_, hello_.region_bytes, 0, {});
  EXPECT_TRUE(made.ok()) << made.status();
  region_ = *std::move(made);
  shm::Welcome welcome;
  welcome.region = region_->id();
  welcome.region_bytes = region_->bytes();
  welcome.submissions_bytes = region_->submissions_bytes();
  welcome.completions_bytes = region_->completions_bytes();
  return welcome;
}

void ScriptedSession::SendWelcome(const shm::Welcome& welcome) {
  EXPECT_TRUE(shm::Send(socket_.get(), welcome, region_->descriptors()).ok());
}

void ScriptedSession::Refuse(absl::StatusCode code, const std::string& text) {
  shm::Welcome welcome;
  welcome.code = static_cast<uint32_t>(code);
  std::strncpy(welcome.text, text.c_str(), sizeof welcome.text - 1);
  EXPECT_TRUE(shm::Send(socket_.get(), welcome).ok());
}

bool ScriptedSession::AwaitMapped() {
  pollfd readable = {socket_.get(), POLLIN, 0};
  shm::Mapped mapped;
  return poll(&readable, 1, 5'000) == 1 && shm::Receive(socket_.get(), mapped).ok();
}

void ScriptedSession::SendSealed() {
  EXPECT_TRUE(region_->Seal().ok());
  EXPECT_TRUE(shm::Send(socket_.get(), shm::Sealed()).ok());
}

bool ScriptedSession::is_over() const {
  if (ending_) return true;
  pollfd state = {socket_.get(), POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0;
}

void ScriptedSession::AwaitGone() {
  while (!ending_) {
    pollfd state = {socket_.get(), POLLRDHUP, 0};
    if (poll(&state, 1, kPollMs) > 0) return;
  }
}

std::optional<std::vector<uint64_t>> ScriptedSession::Next(bool take) {
  shm::Submissions& submissions = region_->submissions();
  while (submissions.tail.value.load(std::memory_order_acquire) == taken_words_) {
    region_->completions().sleeps.value.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (submissions.tail.value.load(std::memory_order_acquire) != taken_words_) break;
    if (is_over()) return std::nullopt;
    pollfd readable = {socket_.get(), POLLIN, 0};
    if (poll(&readable, 1, kPollMs) > 0 && !shm::TakeWakes(socket_.get())) return std::nullopt;
  }
  region_->completions().sleeps.value.store(0, std::memory_order_relaxed);
  const uint64_t there = submissions.tail.value.load(std::memory_order_acquire) - taken_words_;
  const auto word = [&](uint64_t i) {
    return submissions.words[(taken_words_ + i) % shm::kSubmissionWords].load(
        std::memory_order_relaxed);
  };
  std::vector<uint64_t> record(RecordHeader::kWords);
  for (size_t i = 0; i < record.size(); ++i) record[i] = word(i);
  const uint64_t words = RecordHeader::Read(record).words;
  EXPECT_LE(words, there);
  EXPECT_LE(words, shm::kMaxRecordWords);
  if (words > there) return std::nullopt;
  for (uint64_t i = record.size(); i < words; ++i) record.push_back(word(i));
  if (take) {
    taken_words_ += words;
    region_->completions().taken_words.value.store(taken_words_, std::memory_order_release);
  }
  ++records_;
  return record;
}

void ScriptedSession::Answer(uint64_t id, Outcome outcome, uint32_t detail) {
  shm::Completions& completions = region_->completions();
  shm::Completion& entry = completions.entries[completed_ % shm::kCompletionEntries];
  entry.id.store(id, std::memory_order_relaxed);
  entry.outcome.store(static_cast<uint32_t>(outcome), std::memory_order_relaxed);
  entry.detail.store(detail, std::memory_order_relaxed);
  completions.tail.value.store(++completed_, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (region_->submissions().sleeps.value.load() != 0) shm::Wake(socket_.get());
}

void ScriptedSession::Serve(const std::vector<uint64_t>& record) {
  const Outcome outcome = Compute(record);
  Answer(RecordHeader::Read(record).id, outcome);
}

Outcome ScriptedSession::Compute(const std::vector<uint64_t>& record) {
  const RecordHeader header = RecordHeader::Read(record);
  if (header.plan >= shm::kMaxPlans) return Outcome::kUnknownPlan;
  std::optional<shm::Plan>& place = plans_[header.plan];
  const absl::Span<const uint64_t> rest = absl::MakeConstSpan(record).subspan(RecordHeader::kWords);
  if (header.kind == shm::RecordKind::kDefine) {
    place = shm::PlanFrom(rest);
    return place.has_value() ? Outcome::kDone : Outcome::kBadPlan;
  }
  if (!place.has_value()) return Outcome::kUnknownPlan;
  const shm::Plan& plan = *place;
  EXPECT_EQ(record.size(), shm::RunWords(plan, header.stripes, header.has_lengths));
  const size_t sources = size_t{plan.sources()} * header.stripes;
  const size_t outputs =
      plan.operation == shm::Operation::kVerify ? 1 : size_t{plan.outputs()} * header.stripes;
  std::vector<ShardBytes> shards;
  for (size_t i = 0; i < sources; ++i) {
    const uint64_t bytes = header.has_lengths ? rest[sources + outputs + i] : header.shard_bytes;
    const uint8_t* const data = region_->Find(rest[i], bytes);
    if (data == nullptr) return Outcome::kOutsideRegion;
    shards.emplace_back(data, bytes);
  }
  std::vector<uint8_t*> out;
  for (size_t i = 0; i < outputs; ++i) {
    const uint64_t bytes = plan.operation == shm::Operation::kVerify
                               ? shm::ReportBytes(plan.geometry, header.stripes)
                               : header.shard_bytes;
    out.push_back(region_->Find(rest[sources + i], bytes));
    if (out.back() == nullptr) return Outcome::kOutsideRegion;
  }
  Outcome outcome = Outcome::kDone;
  for (uint32_t stripe = 0; stripe < header.stripes; ++stripe) {
    const absl::Span<const ShardBytes> of =
        absl::MakeConstSpan(shards).subspan(size_t{stripe} * plan.sources(), plan.sources());
    const absl::Span<uint8_t* const> to =
        plan.outputs() == 0
            ? absl::Span<uint8_t* const>()
            : absl::MakeConstSpan(out).subspan(size_t{stripe} * plan.outputs(), plan.outputs());
    const size_t named = plan.indices.size();
    absl::Status status;
    switch (plan.operation) {
      case shm::Operation::kEncode:
        status = local_->Encode(plan.geometry, of, header.shard_bytes, to);
        break;
      case shm::Operation::kReconstruct:
        status = local_->Reconstruct(plan.geometry, plan.indices, of, header.shard_bytes,
                                     plan.wanted, to);
        break;
      case shm::Operation::kUpdate: {
        std::vector<uint8_t*> parity;
        for (const ShardBytes& shard : of.subspan(2 * named)) {
          parity.push_back(const_cast<uint8_t*>(shard.data()));
        }
        status = local_->Update(plan.geometry, plan.indices, of.first(named),
                                of.subspan(named, named), header.shard_bytes, parity);
        break;
      }
      case shm::Operation::kVerify: {
        // Of one stripe only.
        const auto report = local_->Verify(plan.geometry, of, header.shard_bytes);
        status = report.status();
        if (!status.ok()) break;
        shm::VerifyReport written{};
        written.mismatches = static_cast<uint32_t>(report->mismatches.size());
        written.suspect = report->suspect.value_or(shm::VerifyReport::kNoSuspect);
        std::memcpy(out[0], &written, sizeof written);
        uint8_t* at = out[0] + sizeof written;
        for (const auto& mismatch : report->mismatches) {
          const shm::VerifyReport::Mismatch entry{stripe, mismatch.shard, mismatch.offset};
          std::memcpy(at, &entry, sizeof entry);
          at += sizeof entry;
        }
        if (!report->consistent()) outcome = Outcome::kInconsistent;
        break;
      }
    }
    if (absl::IsFailedPrecondition(status)) return Outcome::kUndetermined;
    if (!status.ok()) return Outcome::kRefused;
  }
  return outcome;
}

void ScriptedSession::ServeAll() {
  while (const auto record = Next()) Serve(*record);
}

ScriptedServer::ScriptedServer(Behaviour behaviour)
    : ScriptedServer(NewPath(), std::move(behaviour)) {}

ScriptedServer::ScriptedServer(std::string path, Behaviour behaviour)
    : path_(std::move(path)), behaviour_(std::move(behaviour)) {
  const std::string listened = path_ + shm::kPathSuffix;
  unlink(listened.c_str());
  listener_ = Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, listened.c_str(), sizeof address.sun_path - 1);
  EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_.get(), 16), 0);
  acceptor_ = std::thread(&ScriptedServer::Accept, this);
}

ScriptedServer::~ScriptedServer() {
  ending_ = true;
  gate_.Open();
  acceptor_.join();
  for (std::thread& session : sessions_) session.join();
  unlink((path_ + shm::kPathSuffix).c_str());
}

void ScriptedServer::Accept() {
  while (!ending_) {
    pollfd readable = {listener_.get(), POLLIN, 0};
    if (poll(&readable, 1, kPollMs) <= 0) continue;
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const int number = ++connections_;
    auto session = std::make_unique<ScriptedSession>(std::move(socket), ending_, gate_,
                                                     static_cast<uint64_t>(number));
    sessions_.emplace_back([this, owned = std::move(session)]() mutable {
      behaviour_(*owned);
      owned.reset();
    });
  }
}

}  // namespace parity::client
