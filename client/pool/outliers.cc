#include "outliers.h"

#include <algorithm>

namespace parity::client {

std::vector<size_t> OutliersToEject(absl::Span<const ServerHealth* const> servers,
                                    ServerHealth::Clock::time_point now) {
  struct Outlier {
    size_t index;
    double failure_rate;
  };
  std::vector<Outlier> outliers;
  size_t out = 0;
  for (size_t i = 0; i < servers.size(); ++i) {
    if (servers[i]->State(now) != HealthState::kUsable) {
      ++out;
    } else if (servers[i]->IsOutlier(now)) {
      outliers.push_back({i, servers[i]->FailureRate(now)});
    }
  }
  std::stable_sort(outliers.begin(), outliers.end(), [](const Outlier& one, const Outlier& other) {
    return one.failure_rate > other.failure_rate;
  });
  const size_t most = servers.size() / 2;
  outliers.resize(std::min(outliers.size(), most - std::min(most, out)));
  std::vector<size_t> ejected;
  ejected.reserve(outliers.size());
  for (const Outlier& outlier : outliers) ejected.push_back(outlier.index);
  return ejected;
}

}  // namespace parity::client
