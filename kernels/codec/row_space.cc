#include "row_space.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "arithmetic.h"

namespace parity::codec {
namespace {

bool IsNotZero(uint8_t element) { return element != 0; }

}  // namespace

void RowSpace::Reduce(std::vector<uint8_t>& elements, std::vector<uint8_t>& factors) const {
  for (const Reduced& row : rows_) {
    const uint8_t factor = elements[row.pivot];
    AddMultiple(factor, row.elements.data(), columns_, elements.data());
    AddMultiple(factor, row.factors.data(), columns_, factors.data());
  }
}

bool RowSpace::Add(absl::Span<const uint8_t> row) {
  assert(row.size() == columns_);
  std::vector<uint8_t> elements(row.begin(), row.end());
  std::vector<uint8_t> factors(columns_);
  Reduce(elements, factors);
  const auto first = std::find_if(elements.begin(), elements.end(), IsNotZero);
  if (first == elements.end()) return false;
  const auto pivot = static_cast<size_t>(first - elements.begin());
  const uint8_t scale = Inverse(*first);
  factors[rows_.size()] = 1;
  Reduced added{pivot, std::vector<uint8_t>(columns_), std::vector<uint8_t>(columns_)};
  AddMultiple(scale, elements.data(), columns_, added.elements.data());
  AddMultiple(scale, factors.data(), columns_, added.factors.data());
  for (Reduced& other : rows_) {
    const uint8_t factor = other.elements[pivot];
    AddMultiple(factor, added.elements.data(), columns_, other.elements.data());
    AddMultiple(factor, added.factors.data(), columns_, other.factors.data());
  }
  rows_.push_back(std::move(added));
  return true;
}

std::optional<std::vector<uint8_t>> RowSpace::Express(absl::Span<const uint8_t> row) const {
  assert(row.size() == columns_);
  std::vector<uint8_t> elements(row.begin(), row.end());
  std::vector<uint8_t> factors(columns_);
  Reduce(elements, factors);
  if (std::any_of(elements.begin(), elements.end(), IsNotZero)) return std::nullopt;
  factors.resize(rank());
  return factors;
}

}  // namespace parity::codec
