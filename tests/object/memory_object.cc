#include "memory_object.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <random>

#include "gtest/gtest.h"
#include "parity/client/local_coder.h"

namespace parity::client {

codec::Geometry ReedSolomon(uint32_t k, uint32_t m) {
  return *codec::Geometry::Make(codec::Code::kReedSolomon, k, m);
}

std::vector<uint8_t> Noise(size_t bytes) {
  std::mt19937 random(static_cast<uint32_t>(bytes) + 1);
  std::vector<uint8_t> noise(bytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

std::vector<uint8_t> Part(const std::vector<uint8_t>& bytes, size_t offset, size_t count) {
  const auto start = bytes.begin() + static_cast<ptrdiff_t>(offset);
  return {start, start + static_cast<ptrdiff_t>(count)};
}

absl::StatusOr<size_t> MemoryObject::Read(absl::Span<uint8_t> out) {
  EXPECT_EQ(std::this_thread::get_id(), thread_);
  EXPECT_FALSE(has_ended_) << "read after its end";
  EXPECT_FALSE(out.empty());
  if (position_ >= fail_at_) return error_;
  const size_t bytes = std::min(out.size(), bytes_.size() - position_);
  std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(position_), bytes, out.begin());
  position_ += bytes;
  has_ended_ = bytes < out.size();
  return bytes;
}

void MemoryObject::FailAt(size_t position, absl::Status error) {
  fail_at_ = position;
  error_ = std::move(error);
}

absl::Status MemorySink::Write(ShardBytes bytes) {
  EXPECT_EQ(std::this_thread::get_id(), thread_);
  EXPECT_FALSE(bytes.empty());
  if (bytes_.size() >= fail_at_) return error_;
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  return absl::OkStatus();
}

void MemorySink::FailAt(size_t position, absl::Status error) {
  fail_at_ = position;
  error_ = std::move(error);
}

class MemoryShard::Visit {
 public:
  Visit(MemoryShard& shard, Range range) : shard_(shard), range_(range) {
    const std::lock_guard<std::mutex> lock(shard_.mutex_);
    for (const Range& other : shard_.visited_) {
      EXPECT_FALSE(range.first < other.first + other.second &&
                   other.first < range.first + range.second)
          << "two calls at once at offset " << range.first;
    }
    shard_.visited_.push_back(range);
  }
  ~Visit() {
    const std::lock_guard<std::mutex> lock(shard_.mutex_);
    shard_.visited_.erase(std::find(shard_.visited_.begin(), shard_.visited_.end(), range_));
  }

 private:
  MemoryShard& shard_;
  const Range range_;
};

absl::Status MemoryShard::Read(uint64_t offset, absl::Span<uint8_t> out) {
  const Range range(offset, out.size());
  const Visit visit(*this, range);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    reads_.push_back(range);
  }
  if (hook_ != nullptr) {
    if (absl::Status status = hook_(range); !status.ok()) return status;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (out.empty() || offset + out.size() > bytes_.size()) {
    ADD_FAILURE() << "read of " << out.size() << " bytes at " << offset;
    return absl::OutOfRangeError("no such bytes");
  }
  std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), out.size(), out.begin());
  return absl::OkStatus();
}

absl::Status MemoryShard::Write(uint64_t offset, ShardBytes bytes) {
  const Range range(offset, bytes.size());
  const Visit visit(*this, range);
  if (hook_ != nullptr) {
    if (absl::Status status = hook_(range); !status.ok()) return status;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  EXPECT_FALSE(bytes.empty());
  bytes_.resize(std::max<size_t>(bytes_.size(), offset + bytes.size()));
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<ptrdiff_t>(offset));
  return absl::OkStatus();
}

CheckedCoder::CheckedCoder() : local_(*MakeLocalCoder()) {}

absl::Status CheckedCoder::Run(const Request& request, const CallOptions& options) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++calls_;
    most_at_once_ = std::max(most_at_once_, ++at_once_);
    requests_.emplace_back(request.operation, request.shard_bytes);
  }
  absl::Status status = CheckRequest(request);
  EXPECT_TRUE(status.ok()) << status;
  if (status.ok() && hook_ != nullptr) status = hook_(request, options);
  if (status.ok()) status = local_->Run(request, options);
  const std::lock_guard<std::mutex> lock(mutex_);
  --at_once_;
  return status;
}

std::vector<ShardWriter*> MemoryShards::writers() const {
  std::vector<ShardWriter*> writers;
  for (const auto& shard : shards_) writers.push_back(shard.get());
  return writers;
}

std::vector<ShardReader*> MemoryShards::readers(const std::vector<uint32_t>& lost) const {
  std::vector<ShardReader*> readers;
  for (const auto& shard : shards_) readers.push_back(shard.get());
  for (const uint32_t shard : lost) readers[shard] = nullptr;
  return readers;
}

EncodedObject::EncodedObject(const codec::Geometry& geometry, uint32_t cell_bytes,
                             size_t object_bytes)
    : bytes(Noise(object_bytes)),
      shards(geometry.total_shards()),
      layout(*ObjectLayout::Make(geometry, cell_bytes, object_bytes)) {
  CheckedCoder coder;
  MemoryObject object(bytes);
  ObjectOptions options;
  options.cell_bytes = cell_bytes;
  const auto made = EncodeObject(coder, geometry, object, shards.writers(), options);
  EXPECT_EQ(made.status(), absl::OkStatus());
  EXPECT_TRUE(made.ok() && *made == layout);
}

struct Counter::State {
  std::mutex mutex;  // of the next two
  std::condition_variable changed;
  int value = 0;
};

Counter::Counter() : state_(std::make_unique<State>()) {}
Counter::~Counter() = default;

void Counter::Add() {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  ++state_->value;
  state_->changed.notify_all();
}

bool Counter::Await(int at_least) {
  std::unique_lock<std::mutex> lock(state_->mutex);
  return state_->changed.wait_for(lock, std::chrono::minutes(1),
                                  [&] { return state_->value >= at_least; });
}

}  // namespace parity::client
