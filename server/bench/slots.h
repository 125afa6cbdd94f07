// The slots of a region in which the jobs of a row lie, and what a client does with them.
#ifndef PARITY_SERVER_BENCH_SLOTS_H_
#define PARITY_SERVER_BENCH_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "parity/kernels/kernel_table.h"
#include "parity_checker.h"
#include "shm_grid.h"

namespace parity::bench {

// Of the jobs of a load, those whose parity is compared as a whole with what is computed here.
enum class Checks { kEvery, kSampled };

// Loads on the same memory take turns. Not thread-safe.
class Slots {
 public:
  // The first and then every kSampledOf-th job is checked, where not every one is.
  static constexpr uint64_t kSampledOf = 4096;

  // `table` is what checks. REQUIRES: `memory` has row.region_bytes().
  Slots(const ShmRow& row, uint8_t* memory, const kernels::KernelTable& table, Checks checks);

  size_t count() const { return states_.size(); }
  // The data shards of the slot's stripes, back to back, and their parity.
  uint8_t* sources(size_t slot) const { return memory_ + slot * slot_bytes_; }
  uint8_t* parity(size_t slot) const { return sources(slot) + source_bytes_; }

  // Before a job: writes sources if the row says so, and spoils the parity if it is to be checked,
  // so that what an earlier job has left there is not taken for an answer.
  void Prepare(size_t slot);
  // After it: reads the parity if the row says so. DATA_LOSS if it is wrong.
  absl::Status Finish(size_t slot);

  // Jobs that were checked as a whole.
  uint64_t checked() const { return checked_; }

 private:
  struct State {
    uint64_t written = 0;  // the parity of the words that were written to each line
    bool checked = false;
  };

  void Write(size_t slot);
  absl::Status Read(size_t slot) const;

  const ShmRow row_;
  const size_t source_bytes_;
  const size_t parity_bytes_;
  const size_t slot_bytes_;
  uint8_t* const memory_;
  const Checks checks_;
  ParityChecker checker_;
  std::vector<State> states_;
  uint64_t jobs_ = 0;
  uint64_t checked_ = 0;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SLOTS_H_
