// Which columns of a stripe are wanted of which shard, and which are there: arithmetic only.
//
// Key decision: a range begins and ends within a cell, so the columns fall into three parts at
// most, in each of which a shard is wanted as a whole or not at all.
#ifndef PARITY_CLIENT_OBJECT_STRIPE_COLUMNS_H_
#define PARITY_CLIENT_OBJECT_STRIPE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace parity::client {

class StripeColumns {
 public:
  // Columns [begin, end), a run of parts.
  struct Range {
    uint32_t begin;
    uint32_t end;

    friend bool operator==(const Range& a, const Range& b) {
      return a.begin == b.begin && a.end == b.end;
    }
  };
  // Columns in which the same shards are wanted and not there.
  struct Lost {
    Range columns;
    std::vector<uint32_t> shards;
  };

  // Wanted are bytes [begin, end) of the stripe's data, in which cells lie back to back.
  // REQUIRES: begin < end.
  StripeColumns(uint32_t total_shards, uint32_t cell_bytes, uint32_t begin, uint32_t end);

  // What is wanted of the shard and is not there.
  std::vector<Range> WantedAndMissing(uint32_t shard) const;
  // What is not there of the shard within `columns`, which begins and ends where parts do.
  std::vector<Range> Missing(uint32_t shard, Range columns) const;
  bool Has(uint32_t shard, Range columns) const { return Missing(shard, columns).empty(); }
  // The columns, the lowest first, in which wanted shards are not there.
  std::optional<Lost> FirstLost() const;

  void Add(uint32_t shard, Range columns);

 private:
  using Parts = uint8_t;  // bit p: part p

  size_t parts() const { return bounds_.size() - 1; }
  Parts PartsIn(Range columns) const;
  std::vector<Range> Runs(Parts runs_of) const;

  std::vector<uint32_t> bounds_;  // part p: columns [bounds_[p], bounds_[p + 1])
  std::vector<Parts> wanted_;     // by shard
  std::vector<Parts> there_;      // by shard
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_OBJECT_STRIPE_COLUMNS_H_
