#include "arithmetic.h"

#include <array>

namespace parity::codec {
namespace {

constexpr std::array<uint8_t, 256> MakeInverses() {
  std::array<uint8_t, 256> inverses{};
  for (int a = 0; a < 256; ++a) inverses[a] = kernels::GfInverse(static_cast<uint8_t>(a));
  return inverses;
}

constexpr std::array<uint8_t, 256> kInverses = MakeInverses();

}  // namespace

uint8_t Inverse(uint8_t a) { return kInverses[a]; }

void AddMultiple(uint8_t factor, const uint8_t* from, size_t count, uint8_t* to) {
  if (factor == 0) return;
  for (size_t i = 0; i < count; ++i) to[i] ^= Multiply(factor, from[i]);
}

}  // namespace parity::codec
