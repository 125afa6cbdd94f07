// Of what a load consists, by weight.
#ifndef PARITY_LOAD_MIX_H_
#define PARITY_LOAD_MIX_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/client/request.h"

namespace parity::load {

// Any shard that a load sends is at most so long.
inline constexpr size_t kMaxShardBytes = size_t{1} << 30;

template <class Value>
struct Weighted {
  Value value;
  double weight;  // finite, above 0
};
// Not empty; no value is there twice.
using SizeMix = std::vector<Weighted<size_t>>;
using OperationMix = std::vector<Weighted<client::Operation>>;

// "64K" or "4K=50,64K=40,1M=10": sizes in bytes, or KiB, MiB, GiB, and their weights, which are 1
// where there are none. INVALID_ARGUMENT, naming `field`.
absl::StatusOr<SizeMix> ParseSizes(std::string_view field, std::string_view text);
// "encode" or "encode=90,reconstruct=10". Errors as above.
absl::StatusOr<OperationMix> ParseOperations(std::string_view field, std::string_view text);

// Chooses values of a mix, each as often as its weight says.
template <class Value>
class Chooser {
 public:
  explicit Chooser(const std::vector<Weighted<Value>>& mix) : mix_(mix) {
    for (const Weighted<Value>& each : mix_) total_ += each.weight;
  }

  // `where` in [0, 1).
  Value At(double where) const {
    double left = where * total_;
    for (const Weighted<Value>& each : mix_) {
      if (left < each.weight) return each.value;
      left -= each.weight;
    }
    return mix_.back().value;
  }

 private:
  std::vector<Weighted<Value>> mix_;
  double total_ = 0;
};

}  // namespace parity::load

#endif  // PARITY_LOAD_MIX_H_
