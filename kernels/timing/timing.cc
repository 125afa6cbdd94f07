#include "parity/timing/timing.h"

#include <algorithm>
#include <chrono>

namespace parity::timing {
namespace {

// Of one call.
double Seconds(const Call& call, size_t times) {
  const auto start = std::chrono::steady_clock::now();
  call(times);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(times);
}

// A call this long needs no warming up.
constexpr double kLongSeconds = 100 * kSampleSeconds;

// How many calls make a sample. Warms up.
size_t TimesForSample(const Call& call) {
  if (Seconds(call, 1) > kLongSeconds) return 1;
  size_t times = 1;
  for (;;) {
    const double wanted = kSampleSeconds / Seconds(call, times);
    if (wanted <= 1.25 * static_cast<double>(times)) {
      return std::max<size_t>(1, static_cast<size_t>(wanted));
    }
    times = static_cast<size_t>(std::min(wanted + 1, 16.0 * static_cast<double>(times)));
  }
}

}  // namespace

double QuickNanoseconds(const Call& call) {
  const double first = Seconds(call, 1);
  if (first > kLongSeconds) return first * 1e9;
  const size_t times = TimesForSample(call);
  return std::min(Seconds(call, times), Seconds(call, times)) * 1e9;
}

std::vector<double> MedianNanoseconds(const std::vector<Call>& calls, int rounds) {
  std::vector<size_t> times;
  for (const Call& call : calls) times.push_back(TimesForSample(call));
  std::vector<std::vector<double>> samples(calls.size());
  for (size_t round = 0; round < static_cast<size_t>(rounds); ++round) {
    for (size_t turn = 0; turn < calls.size(); ++turn) {
      // Each goes first in turn, as what runs after a slow call may find other caches.
      const size_t i = (turn + round) % calls.size();
      samples[i].push_back(Seconds(calls[i], times[i]) * 1e9);
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& of_call : samples) {
    const auto middle = of_call.begin() + static_cast<ptrdiff_t>(of_call.size() / 2);
    std::nth_element(of_call.begin(), middle, of_call.end());
    medians.push_back(*middle);
  }
  return medians;
}

}  // namespace parity::timing
