// Random numbers that are the same everywhere: those of the standard's distributions are not.
#ifndef PARITY_LOAD_UNIT_INTERVAL_H_
#define PARITY_LOAD_UNIT_INTERVAL_H_

#include <random>

namespace parity::load {

// In [0, 1).
inline double UnitInterval(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace parity::load

#endif  // PARITY_LOAD_UNIT_INTERVAL_H_
