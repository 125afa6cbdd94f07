// The factors of a sum of shards.
//
// Key decision: which kernel a sum calls for is found once, when its factors are put together, not
// for every run of every stripe.
#ifndef PARITY_CODEC_FACTORS_H_
#define PARITY_CODEC_FACTORS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parity/kernels/gf256.h"

namespace parity::codec {

enum class Kernel : uint8_t {
  kXor,     // one output, all factors 1
  kPq,      // two outputs: the factors of source j are 1 and 2^j
  kMatrix,  // anything else
};

// Immutable: output r of a sum is the sum over the sources j of at(j, r) * source j.
class Factors {
 public:
  // REQUIRES: source-major (see kernels::GfMatrixJob), sources * outputs of them, neither 0.
  Factors(size_t sources, size_t outputs, const std::vector<uint8_t>& source_major);

  size_t sources() const { return sources_; }
  size_t outputs() const { return outputs_; }
  uint8_t at(size_t source, size_t output) const {
    return static_cast<uint8_t>(source_major_[source * outputs_ + output].coefficient);
  }
  const kernels::GfFactor* source_major() const { return source_major_.data(); }
  Kernel kernel() const { return kernel_; }
  size_t bytes() const { return source_major_.size() * sizeof(kernels::GfFactor); }

 private:
  size_t sources_;
  size_t outputs_;
  std::vector<kernels::GfFactor> source_major_;
  Kernel kernel_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_FACTORS_H_
