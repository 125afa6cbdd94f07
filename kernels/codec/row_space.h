// What can be computed from what: rows over GF(2^8) and the rows that are sums of them.
#ifndef PARITY_CODEC_ROW_SPACE_H_
#define PARITY_CODEC_ROW_SPACE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace parity::codec {

// The space spanned by rows that are added one by one. Rows have `columns` elements.
//
// Cost of Add and Express: O(columns * rank).
class RowSpace {
 public:
  explicit RowSpace(size_t columns) : columns_(columns) {}

  // Adds a row, unless it is a sum of multiples of those before. Returns whether it was added.
  bool Add(absl::Span<const uint8_t> row);

  // How many rows were added; at most the number of columns.
  size_t rank() const { return rows_.size(); }

  // The factors, one for each row added, in this order, with which those rows sum up to `row`.
  // There is only one such choice. Unset if there is none.
  std::optional<std::vector<uint8_t>> Express(absl::Span<const uint8_t> row) const;

 private:
  // A sum of multiples of rows that were added, and the only one that is not 0 at `pivot`.
  struct Reduced {
    size_t pivot;  // the element there is 1
    std::vector<uint8_t> elements;
    std::vector<uint8_t> factors;  // of the rows that were added, `columns` of them
  };

  // Subtracts from `elements` what makes it 0 at every pivot, and adds to `factors` the factors of
  // what was subtracted.
  void Reduce(std::vector<uint8_t>& elements, std::vector<uint8_t>& factors) const;

  size_t columns_;
  std::vector<Reduced> rows_;
};

}  // namespace parity::codec

#endif  // PARITY_CODEC_ROW_SPACE_H_
