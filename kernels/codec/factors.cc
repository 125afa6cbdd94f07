#include "parity/codec/factors.h"

#include <algorithm>
#include <cassert>

#include "arithmetic.h"

namespace parity::codec {
namespace {

Kernel KernelFor(size_t outputs, const std::vector<uint8_t>& factors) {
  if (outputs == 1) {
    const bool is_xor =
        std::all_of(factors.begin(), factors.end(), [](uint8_t factor) { return factor == 1; });
    return is_xor ? Kernel::kXor : Kernel::kMatrix;
  }
  if (outputs != 2) return Kernel::kMatrix;
  uint8_t power = 1;
  for (size_t i = 0; i < factors.size(); i += 2) {
    if (factors[i] != 1 || factors[i + 1] != power) return Kernel::kMatrix;
    power = Multiply(power, 2);
  }
  return Kernel::kPq;
}

}  // namespace

Factors::Factors(size_t sources, size_t outputs, const std::vector<uint8_t>& source_major)
    : sources_(sources), outputs_(outputs), kernel_(KernelFor(outputs, source_major)) {
  assert(sources > 0 && outputs > 0 && source_major.size() == sources * outputs);
  source_major_.reserve(source_major.size());
  for (const uint8_t factor : source_major) source_major_.push_back(kernels::FactorOf(factor));
}

}  // namespace parity::codec
