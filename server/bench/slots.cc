#include "slots.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

constexpr size_t kLineBytes = 64;

}  // namespace

Slots::Slots(const ShmRow& row, uint8_t* memory, const kernels::KernelTable& table, Checks checks)
    : row_(row),
      source_bytes_(row.job().source_bytes()),
      parity_bytes_(row.job().parity_bytes()),
      slot_bytes_(row.slot_bytes()),
      memory_(memory),
      checks_(checks),
      checker_(row.job(), table),
      states_(row.slots()) {}

void Slots::Prepare(size_t slot) {
  State& state = states_[slot];
  state.checked = checks_ == Checks::kEvery || jobs_ % kSampledOf == 0;
  ++jobs_;
  if (row_.access == Access::kWritten) Write(slot);
  if (!state.checked) return;
  uint8_t* const bytes = parity(slot);
  for (size_t i = 0; i < parity_bytes_; ++i) bytes[i] = static_cast<uint8_t>(~bytes[i]);
}

absl::Status Slots::Finish(size_t slot) {
  State& state = states_[slot];
  if (row_.access == Access::kWritten) {
    if (absl::Status status = Read(slot); !status.ok()) return status;
  }
  if (!state.checked) return absl::OkStatus();
  ++checked_;
  return checker_.CheckBytes(parity(slot), sources(slot));
}

// Every line of a shard gets the same word, so every line of the parity is to begin with their sum.
void Slots::Write(size_t slot) {
  uint8_t* shard = sources(slot);
  uint64_t sum = 0;
  for (size_t j = 0; j < row_.geometry.data_shards(); ++j) {
    const uint64_t word = (jobs_ << 8 | j) * 0x9e3779b97f4a7c15;
    sum ^= word;
    for (size_t stripe = 0; stripe < row_.stripes; ++stripe) {
      uint8_t* const start = shard + (stripe * row_.geometry.data_shards() + j) * row_.shard_bytes;
      for (size_t at = 0; at < row_.shard_bytes; at += kLineBytes) {
        std::memcpy(start + at, &word, sizeof word);
      }
    }
  }
  states_[slot].written = sum;
}

absl::Status Slots::Read(size_t slot) const {
  const uint8_t* const bytes = parity(slot);
  uint64_t wrong = 0;
  for (size_t at = 0; at < parity_bytes_; at += kLineBytes) {
    uint64_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    wrong |= word ^ states_[slot].written;
  }
  if (wrong == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("answer: parity of slot ", slot,
                                          " is not that of the sources as they were written"));
}

}  // namespace parity::bench
