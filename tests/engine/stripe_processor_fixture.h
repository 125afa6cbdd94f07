// StripeProcessors in tests: requests with right answers, and threads that help.
#ifndef PARITY_TESTS_ENGINE_STRIPE_PROCESSOR_FIXTURE_H_
#define PARITY_TESTS_ENGINE_STRIPE_PROCESSOR_FIXTURE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "../codec/stripe.h"
#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "parity/codec/geometry.h"
#include "parity/engine/buffer_pool.h"
#include "parity/engine/job_share.h"
#include "parity/engine/stripe_job.h"
#include "parity/engine/stripe_processor.h"

namespace parity::engine {

class Request final : public StripeRequest {
 public:
  explicit Request(StripeJob made) : job_(std::move(made)) {}

  StripeJob& job() override { return job_; }
  absl::Status Wanted() const override { return wanted; }
  void Done(const absl::Status& status) override {
    outcome = status;
    if (on_done) on_done();
  }

  absl::Status wanted;
  std::optional<absl::Status> outcome;
  std::function<void()> on_done;

 private:
  StripeJob job_;
};

// Shards of several stripes, with their parity.
struct Stripes {
  codec::Geometry geometry;
  size_t shard_bytes;
  std::vector<std::vector<codec::Bytes>> shards;  // of each stripe, k + m

  Stripes(const codec::Geometry& of, size_t bytes, uint32_t count, std::mt19937& random);

  // The shards with these indices of every stripe, those of the first one first.
  std::vector<codec::Bytes> Pick(const std::vector<uint32_t>& indices) const;

  std::vector<uint32_t> Range(uint32_t first, uint32_t last) const;
  std::vector<uint32_t> data() const { return Range(0, geometry.data_shards()); }
  std::vector<uint32_t> parity() const {
    return Range(geometry.data_shards(), geometry.total_shards());
  }
  std::vector<uint32_t> all() const { return Range(0, geometry.total_shards()); }
  uint32_t count() const { return static_cast<uint32_t>(shards.size()); }
};

std::vector<uint32_t> Sums(const std::vector<codec::Bytes>& shards);
std::vector<codec::Bytes> Computed(StripeJob& job);

class StripeProcessorTest : public ::testing::Test {
 protected:
  std::unique_ptr<Request> Make(const codec::Geometry& geometry, const StripeTask& task);

  // Runs the task alone and returns how it ended.
  absl::Status Run(Request& request);

  std::mt19937 random_{11};
  StripeProcessor processor_{codec::BestTable(), BufferPool::Make(64 << 20)};
  StripeProcessor::Line line_;
};

struct Shape {
  size_t shard_bytes;
  uint32_t stripes;
};

// Less than a slice, several stripes a slice, several slices of stripes, stripes cut into columns.
inline constexpr Shape kShapes[] = {{1, 1},       {100, 7},       {4096, 65}, {70'001, 9},
                                    {400'000, 2}, {1'500'000, 2}, {3, 1024}};

std::vector<codec::Geometry> Geometries();

// Hands every share to helpers on threads of their own.
class ThreadCrew final : public Crew {
 public:
  ~ThreadCrew() override { Wait(); }
  void Wait() {
    for (std::thread& helper : helpers_) helper.join();
    helpers_.clear();
  }
  void Offer(const std::shared_ptr<JobShare>& share) override;
  std::atomic<uint64_t> helped{0};

 private:
  std::vector<std::thread> helpers_;
};

}  // namespace parity::engine

#endif  // PARITY_TESTS_ENGINE_STRIPE_PROCESSOR_FIXTURE_H_
