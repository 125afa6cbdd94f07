// The field GF(2^8) with polynomial x^8 + x^4 + x^3 + x^2 + 1 (0x11d) and generator 2, as used by
// RAID-6, ISA-L and most Reed-Solomon storage codes. One element is one byte; addition is XOR.
#ifndef PARITY_KERNELS_GF256_H_
#define PARITY_KERNELS_GF256_H_

#include <cstdint>

namespace parity::kernels {

inline constexpr unsigned kGfPolynomial = 0x11d;

// Product by shift and reduce: the definition that the tables and the tests are built from.
constexpr uint8_t GfMultiply(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (unsigned shifted = a; b != 0; b = static_cast<uint8_t>(b >> 1)) {
    if ((b & 1) != 0) product ^= shifted;
    shifted <<= 1;
    if ((shifted & 0x100) != 0) shifted ^= kGfPolynomial;
  }
  return static_cast<uint8_t>(product);
}

// a^254, which is 1/a for a != 0 and 0 for 0.
constexpr uint8_t GfInverse(uint8_t a) {
  uint8_t result = 1;
  uint8_t power = a;
  for (int bit = 1; bit < 8; ++bit) {
    power = GfMultiply(power, power);
    result = GfMultiply(result, power);
  }
  return result;
}

// A coefficient in the forms that kernels multiply by, so that none has to look one up: that
// look-up costs a third of a job of 64 bytes.
struct GfFactor {
  uint64_t affine;       // the 8 x 8 bit matrix of x -> coefficient * x, as GF2P8AFFINEQB has it
  uint64_t coefficient;  // 0 to 255
};

// For every coefficient, the forms in which the ISAs multiply by it. Immutable, 76 KiB in all, of
// which a stripe touches only the lines of its own coefficients.
struct GfTables {
  uint8_t product[256][256];  // product[c][x] = c * x
  uint8_t nibbles[256][32];   // c * x for x = 0..15, then c * (x << 4): two byte-shuffle tables
  GfFactor factors[256];
};
extern const GfTables kGfTables;

// The coefficient `c` as a factor for a kernel job.
inline GfFactor FactorOf(uint8_t c) { return kGfTables.factors[c]; }

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_GF256_H_
