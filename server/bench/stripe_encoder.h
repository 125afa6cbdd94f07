// The parity that every yardstick computes, by the product's codec and kernels.
#ifndef PARITY_SERVER_BENCH_STRIPE_ENCODER_H_
#define PARITY_SERVER_BENCH_STRIPE_ENCODER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "job.h"
#include "parity/codec/batch.h"
#include "parity/codec/codec.h"
#include "parity/kernels/kernel_table.h"

namespace parity::bench {

// Not thread-safe: each thread has its own.
class StripeEncoder {
 public:
  StripeEncoder(const Job& job, const kernels::KernelTable& table);

  // Computes the parity of all stripes of a request. `sources` are the data shards of the first
  // stripe, then those of the second, and so on: k * stripes pointers; `parity` takes the parity
  // shards in the same order, back to back: job.parity_bytes() bytes.
  void Encode(absl::Span<const uint8_t* const> sources, uint8_t* parity);
  // The same for data shards that lie back to back.
  void EncodePacked(const uint8_t* sources, uint8_t* parity);

  const Job& job() const { return job_; }

 private:
  const Job job_;
  const codec::Codec codec_;
  codec::Batch batch_;
  std::vector<const uint8_t*> packed_;
  std::vector<codec::Segment> segments_;
  std::vector<codec::Shard> shards_;
  std::vector<uint8_t*> outputs_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_STRIPE_ENCODER_H_
