#include "parity/config/nearest.h"

#include <algorithm>

namespace parity::config {

size_t EditDistance(const std::string& a, const std::string& b) {
  // of[i][j]: between the first i letters of one and the first j of the other.
  std::vector<std::vector<size_t>> of(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        of[i][j] = i + j;
        continue;
      }
      const size_t replaced = of[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      of[i][j] = std::min({of[i - 1][j] + 1, of[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
      }
    }
  }
  return of[a.size()][b.size()];
}

std::string Nearest(const std::string& word, const std::vector<std::string>& words) {
  constexpr size_t kLongest = 256;  // no option's name is near anything longer
  if (word.size() > kLongest) return "";
  std::string nearest;
  size_t least = 0;
  for (const std::string& candidate : words) {
    const size_t distance = EditDistance(word, candidate);
    if (3 * distance > std::max(word.size(), candidate.size())) continue;
    if (nearest.empty() || distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest;
}

}  // namespace parity::config
