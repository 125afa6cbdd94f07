// Checks the answers that a load gets.
#ifndef PARITY_SERVER_BENCH_PARITY_CHECKER_H_
#define PARITY_SERVER_BENCH_PARITY_CHECKER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "parity/codec/shard.h"
#include "stripe_encoder.h"

namespace parity::bench {

// Checks the length of every answer, and of the first and then every kSampledOf-th the bytes
// against parity that is computed here. Not thread-safe.
class ParityChecker {
 public:
  static constexpr uint64_t kSampledOf = 4096;

  ParityChecker(const Job& job, const kernels::KernelTable& table);

  // `parity` is what came for the data shards at `sources`, which lie back to back. DATA_LOSS, with
  // the place of the first wrong byte, if it is not their parity.
  absl::Status Check(codec::Shard parity, const uint8_t* sources);

  // The same for parity that is known to be all there, and always with its bytes.
  absl::Status CheckBytes(const uint8_t* parity, const uint8_t* sources);

 private:
  absl::Status Compare(codec::Shard parity, const uint8_t* sources);

  StripeEncoder encoder_;
  std::vector<uint8_t> expected_;
  uint64_t answers_ = 0;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_PARITY_CHECKER_H_
