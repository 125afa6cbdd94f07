#include "parity/load/mix.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "parity/codec/field_error.h"

namespace parity::load {
namespace {

constexpr absl::string_view kSizesWanted =
    "SIZE or SIZE=WEIGHT,SIZE=WEIGHT..., each size once, of 1 byte to 1G (suffixes K, M, G)";
constexpr absl::string_view kOperationsWanted =
    "OPERATION=WEIGHT,OPERATION=WEIGHT..., each once, of encode, reconstruct, verify, update";

std::string_view StandardView(absl::string_view text) { return {text.data(), text.size()}; }

std::optional<size_t> SizeFrom(absl::string_view text) {
  int shift = 0;
  if (!text.empty()) {
    const size_t suffix = absl::string_view("KMG").find(text.back());
    if (suffix != absl::string_view::npos) {
      shift = 10 * (static_cast<int>(suffix) + 1);
      text.remove_suffix(1);
    }
  }
  uint64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number == 0) return std::nullopt;
  if (number > kMaxShardBytes >> shift) return std::nullopt;
  return number << shift;
}

std::optional<client::Operation> OperationFrom(absl::string_view text) {
  for (const client::Operation each : {client::Operation::kEncode, client::Operation::kReconstruct,
                                       client::Operation::kVerify, client::Operation::kUpdate}) {
    if (text == client::NameOf(each)) return each;
  }
  return std::nullopt;
}

template <class Value>
absl::StatusOr<std::vector<Weighted<Value>>> Parse(
    std::string_view field, std::string_view text,
    std::optional<Value> (*value_from)(absl::string_view), absl::string_view wanted) {
  std::vector<Weighted<Value>> mix;
  for (const absl::string_view item :
       absl::StrSplit(absl::string_view(text.data(), text.size()), ',')) {
    const size_t equals = item.find('=');
    const std::optional<Value> value = value_from(item.substr(0, equals));
    double weight = 1;
    const bool weight_is_good =
        equals == absl::string_view::npos ||
        (absl::SimpleAtod(item.substr(equals + 1), &weight) && std::isfinite(weight) && weight > 0);
    const auto is_same = [&value](const Weighted<Value>& each) { return each.value == value; };
    if (!value || !weight_is_good || std::any_of(mix.begin(), mix.end(), is_same)) {
      return codec::InvalidField(field, text, StandardView(wanted));
    }
    mix.push_back({*value, weight});
  }
  return mix;
}

}  // namespace

absl::StatusOr<SizeMix> ParseSizes(std::string_view field, std::string_view text) {
  return Parse<size_t>(field, text, SizeFrom, kSizesWanted);
}

absl::StatusOr<OperationMix> ParseOperations(std::string_view field, std::string_view text) {
  return Parse<client::Operation>(field, text, OperationFrom, kOperationsWanted);
}

}  // namespace parity::load
