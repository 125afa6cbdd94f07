// Arithmetic in GF(2^8), by table, for what is computed once for a stripe or less often.
#ifndef PARITY_CODEC_ARITHMETIC_H_
#define PARITY_CODEC_ARITHMETIC_H_

#include <cstddef>
#include <cstdint>

#include "parity/kernels/gf256.h"

namespace parity::codec {

// a * b.
inline uint8_t Multiply(uint8_t a, uint8_t b) { return kernels::kGfTables.product[a][b]; }

// 1 / a; 0 for 0.
uint8_t Inverse(uint8_t a);

// to[0..count) += factor * from[0..count).
void AddMultiple(uint8_t factor, const uint8_t* from, size_t count, uint8_t* to);

}  // namespace parity::codec

#endif  // PARITY_CODEC_ARITHMETIC_H_
