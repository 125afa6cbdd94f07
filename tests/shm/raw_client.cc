#include "raw_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <utility>

namespace parity::shm {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

RawClient::RawClient(const std::string& path) {
  endpoint::Descriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    socket_ = std::move(socket);
  }
}

bool RawClient::AwaitReadable(std::chrono::milliseconds patience) const {
  pollfd waited{socket_.get(), POLLIN, 0};
  return poll(&waited, 1, static_cast<int>(patience.count())) == 1;
}

bool RawClient::SayHello(uint64_t region_bytes) {
  Hello hello;
  hello.region_bytes = region_bytes;
  return Send(socket_.get(), hello).ok();
}

bool RawClient::ReceiveWelcome() {
  return AwaitReadable(kPatience) && Receive(socket_.get(), welcome_, &descriptors_).ok() &&
         welcome_.code == 0 && descriptors_.size() == 3;
}

bool RawClient::Map() {
  auto submissions =
      Mapping::Map(descriptors_[0].get(), welcome_.submissions_bytes, Mapping::Access::kReadWrite);
  auto completions =
      Mapping::Map(descriptors_[1].get(), welcome_.completions_bytes, Mapping::Access::kRead);
  auto data =
      Mapping::Map(descriptors_[2].get(), welcome_.region_bytes, Mapping::Access::kReadWrite);
  if (!submissions.ok() || !completions.ok() || !data.ok()) return false;
  submissions_ = *std::move(submissions);
  completions_ = *std::move(completions);
  data_ = *std::move(data);
  return true;
}

bool RawClient::SayMapped() { return Send(socket_.get(), Mapped()).ok(); }

bool RawClient::ReceiveSealed() {
  Sealed sealed;
  return AwaitReadable(kPatience) && Receive(socket_.get(), sealed).ok();
}

bool RawClient::ShakeHands(uint64_t region_bytes) {
  return connected() && SayHello(region_bytes) && ReceiveWelcome() && Map() && SayMapped() &&
         ReceiveSealed();
}

void RawClient::Write(const std::vector<uint64_t>& words) {
  for (const uint64_t word : words) {
    submissions().words[tail_++ % kSubmissionWords].store(word, std::memory_order_relaxed);
  }
}

void RawClient::Publish() { PublishTail(tail_); }

void RawClient::PublishTail(uint64_t tail) {
  submissions().tail.value.store(tail, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (completions().sleeps.value.load(std::memory_order_relaxed) != 0) Wake(socket_.get());
}

std::optional<Ended> RawClient::Take(std::chrono::milliseconds patience) {
  const Clock::time_point give_up = Clock::now() + patience;
  const auto is_there = [this] {
    return completions().tail.value.load(std::memory_order_acquire) != taken_;
  };
  while (!is_there()) {
    submissions().sleeps.value.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (is_there()) break;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(give_up - Clock::now());
    if (left.count() <= 0 || !AwaitReadable(left)) return std::nullopt;
    if (!TakeWakes(socket_.get()) && !is_there()) return std::nullopt;
  }
  submissions().sleeps.value.store(0, std::memory_order_relaxed);
  const Completion& entry = completions().entries[taken_ % kCompletionEntries];
  const Ended ended{entry.id.load(std::memory_order_relaxed),
                    static_cast<Outcome>(entry.outcome.load(std::memory_order_relaxed)),
                    entry.detail.load(std::memory_order_relaxed)};
  ++taken_;
  submissions().taken_completions.value.store(taken_, std::memory_order_release);
  return ended;
}

bool RawClient::AwaitClosed() {
  const Clock::time_point give_up = Clock::now() + kPatience;
  while (Clock::now() < give_up) {
    if (!AwaitReadable(std::chrono::milliseconds(100))) continue;
    if (!TakeWakes(socket_.get())) return true;
  }
  return false;
}

std::vector<uint64_t> DefineRecord(uint16_t place, const Plan& plan, uint64_t id) {
  const std::vector<uint64_t> of_plan = PlanWords(plan);
  std::vector<uint64_t> words(RecordHeader::kWords);
  RecordHeader{RecordKind::kDefine, false, place, 0, id, 0, words.size() + of_plan.size()}.Write(
      words.data());
  words.insert(words.end(), of_plan.begin(), of_plan.end());
  return words;
}

std::vector<uint64_t> RunRecord(const RecordHeader& header, const std::vector<uint64_t>& sources,
                                const std::vector<uint64_t>& outputs,
                                const std::vector<uint64_t>& lengths) {
  std::vector<uint64_t> words(RecordHeader::kWords);
  RecordHeader whole = header;
  whole.kind = RecordKind::kRun;
  whole.has_lengths = !lengths.empty();
  whole.words = words.size() + sources.size() + outputs.size() + lengths.size();
  whole.Write(words.data());
  for (const auto* part : {&sources, &outputs, &lengths}) {
    words.insert(words.end(), part->begin(), part->end());
  }
  return words;
}

}  // namespace parity::shm
