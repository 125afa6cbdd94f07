// The calls of one thread: what each asks for, and whether its answer is right.
//
// Key decision: any byte range of a stripe is a stripe, so a call of any size takes the beginning
// of one of two stripes that are there from the start. Making a call copies nothing.
#ifndef PARITY_LOAD_STRIPE_CALLER_H_
#define PARITY_LOAD_STRIPE_CALLER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "parity/client/buffer.h"
#include "parity/client/coder.h"
#include "parity/codec/geometry.h"
#include "parity/load/load.h"

namespace parity::load {

// Not thread-safe.
class StripeCaller {
 public:
  // Errors of RunLoad. `seed` in place of options.seed. The options must outlive it.
  static absl::StatusOr<std::unique_ptr<StripeCaller>> Make(const codec::Geometry& geometry,
                                                            const WorkOptions& options,
                                                            uint64_t seed);

  // Chooses the next call. What it asks for is ready then.
  void Prepare();
  // REQUIRES: Prepare(). The call: nothing else.
  absl::Status Run(client::Coder& coder, const client::CallOptions& options);
  // REQUIRES: options.check, Run() was OK. Where the answer is wrong, if it is.
  std::optional<Mismatch> Check();

  client::Operation operation() const { return operation_; }
  uint64_t data_bytes() const;
  bool uses_shared_memory() const { return buffer_.is_shared(); }

 private:
  using Stripe = std::vector<uint8_t*>;  // its k+m shards
  // Shards that are lost, and those to compute them from.
  struct Loss {
    std::vector<uint32_t> present;
    std::vector<uint32_t> wanted;
  };

  StripeCaller(const codec::Geometry& geometry, const WorkOptions& options, uint64_t seed);
  absl::Status MakeStripes();
  absl::Status MakeLosses();
  void PrepareReconstruct();
  void PrepareUpdate();
  void Damage();
  std::optional<Mismatch> CheckOutput(size_t output, uint32_t shard, const uint8_t* expected);
  std::optional<Mismatch> CheckReport();
  std::optional<Mismatch> CheckUpdate();
  Mismatch MismatchAt(uint32_t shard, uint64_t offset, std::string what) const;
  client::ShardBytes ShardOf(const Stripe& stripe, uint32_t shard) const;

  const codec::Geometry geometry_;
  const WorkOptions& options_;
  const Chooser<client::Operation> operations_;
  const Chooser<size_t> sizes_;
  std::mt19937_64 random_;
  std::unique_ptr<client::Coder> local_;
  client::Buffer buffer_;
  std::array<Stripe, 2> stripes_;
  std::vector<uint8_t*> output_shards_;  // m
  std::vector<Loss> losses_;

  // Of the call in hand.
  client::Operation operation_ = client::Operation::kEncode;
  size_t shard_bytes_ = 0;
  size_t stripe_ = 0;
  const Loss* loss_ = nullptr;  // to reconstruct
  uint32_t changed_ = 0;        // to update
  uint8_t* damaged_ = nullptr;  // to verify: a byte that is wrong until the next call
  uint8_t poison_ = 0;          // what outputs hold before a call that is checked
  std::vector<client::ShardBytes> shards_;
  std::vector<uint8_t*> outputs_;
  codec::VerifyReport report_;
};

}  // namespace parity::load

#endif  // PARITY_LOAD_STRIPE_CALLER_H_
