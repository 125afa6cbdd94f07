// How long calls take.
#ifndef PARITY_TIMING_TIMING_H_
#define PARITY_TIMING_TIMING_H_

#include <cstddef>
#include <functional>
#include <vector>

namespace parity::timing {

// Does the work that many times. The loop is inside, so that nothing but the work is timed.
using Call = std::function<void(size_t times)>;

template <class Work>
Call Repeated(Work work) {
  return [work](size_t times) mutable {
    for (; times > 0; --times) work();
  };
}

// A sample of a call lasts that long, or is one call.
inline constexpr double kSampleSeconds = 200e-6;

// Roughly the nanoseconds of one call.
double QuickNanoseconds(const Call& call);

// For each call the median nanoseconds over the rounds. A round takes one sample of each, so that
// whatever disturbs the machine for longer than a round disturbs all of them.
std::vector<double> MedianNanoseconds(const std::vector<Call>& calls, int rounds);

}  // namespace parity::timing

#endif  // PARITY_TIMING_TIMING_H_
