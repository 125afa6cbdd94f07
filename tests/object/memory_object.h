// Objects, shards and coders in memory that do what tests tell them and check how they are called.
#ifndef PARITY_TESTS_OBJECT_MEMORY_OBJECT_H_
#define PARITY_TESTS_OBJECT_MEMORY_OBJECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "parity/client/object.h"

namespace parity::client {

codec::Geometry ReedSolomon(uint32_t k, uint32_t m);

std::vector<uint8_t> Noise(size_t bytes);
std::vector<uint8_t> Part(const std::vector<uint8_t>& bytes, size_t offset, size_t count);

class MemoryObject final : public ObjectReader {
 public:
  explicit MemoryObject(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

  // Checks that it is the thread that made it, and not after the end.
  absl::StatusOr<size_t> Read(absl::Span<uint8_t> out) override;

  size_t position() const { return position_; }
  bool has_ended() const { return has_ended_; }
  // Once so many bytes have been read, reading fails with it.
  void FailAt(size_t position, absl::Status error);

 private:
  const std::vector<uint8_t> bytes_;
  const std::thread::id thread_ = std::this_thread::get_id();
  size_t position_ = 0;
  bool has_ended_ = false;
  size_t fail_at_ = SIZE_MAX;
  absl::Status error_;
};

class MemorySink final : public ObjectWriter {
 public:
  // Checks that it is the thread that made it.
  absl::Status Write(ShardBytes bytes) override;

  const std::vector<uint8_t>& bytes() const { return bytes_; }
  // Once so many bytes have been written, writing fails with it.
  void FailAt(size_t position, absl::Status error);

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  std::vector<uint8_t> bytes_;
  size_t fail_at_ = SIZE_MAX;
  absl::Status error_;
};

class MemoryShard final : public ShardReader, public ShardWriter {
 public:
  using Range = std::pair<uint64_t, uint64_t>;  // offset, bytes
  using Hook = std::function<absl::Status(Range)>;

  // Checks that no other call is at the same bytes.
  absl::Status Read(uint64_t offset, absl::Span<uint8_t> out) override;
  absl::Status Write(uint64_t offset, ShardBytes bytes) override;

  // REQUIRES: no call is under way.
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  const std::vector<Range>& reads() const { return reads_; }
  void ForgetReads() { reads_.clear(); }
  // Asked before each call; its error is the call's.
  void SetHook(Hook hook) { hook_ = std::move(hook); }

 private:
  // Notes that a call is at the range while it lives.
  class Visit;

  Hook hook_;
  std::mutex mutex_;  // of the next
  std::vector<uint8_t> bytes_;
  std::vector<Range> reads_;
  std::vector<Range> visited_;
};

// The local coder, with its calls counted.
class CheckedCoder final : public Coder {
 public:
  using Hook = std::function<absl::Status(const Request&, const CallOptions&)>;

  CheckedCoder();
  absl::Status Run(const Request& request, const CallOptions& options) override;

  // REQUIRES: no call is under way.
  int calls() const { return calls_; }
  int most_at_once() const { return most_at_once_; }
  const std::vector<std::pair<Operation, size_t>>& requests() const { return requests_; }
  // Asked before each call; its error is the call's.
  void SetHook(Hook hook) { hook_ = std::move(hook); }

 private:
  const std::unique_ptr<Coder> local_;
  Hook hook_;
  std::mutex mutex_;  // of the next
  int calls_ = 0;
  int at_once_ = 0;
  int most_at_once_ = 0;
  std::vector<std::pair<Operation, size_t>> requests_;  // and shard_bytes
};

// An object's shards.
class MemoryShards {
 public:
  explicit MemoryShards(size_t shards) : shards_(shards) {
    for (auto& shard : shards_) shard = std::make_unique<MemoryShard>();
  }

  MemoryShard& operator[](size_t shard) { return *shards_[shard]; }
  size_t size() const { return shards_.size(); }
  std::vector<ShardWriter*> writers() const;
  // Null for those in `lost`.
  std::vector<ShardReader*> readers(const std::vector<uint32_t>& lost = {}) const;

 private:
  std::vector<std::unique_ptr<MemoryShard>> shards_;
};

// An object that is encoded.
struct EncodedObject {
  EncodedObject(const codec::Geometry& geometry, uint32_t cell_bytes, size_t object_bytes);

  std::vector<uint8_t> bytes;
  MemoryShards shards;
  ObjectLayout layout;
};

// A number that goes up and can be waited for.
class Counter {
 public:
  Counter();
  ~Counter();
  void Add();
  // False if it takes more than a minute: then the test has failed.
  bool Await(int at_least);

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace parity::client

#endif  // PARITY_TESTS_OBJECT_MEMORY_OBJECT_H_
