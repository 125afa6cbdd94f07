#include "parity_checker.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace parity::bench {

ParityChecker::ParityChecker(const Job& job, const kernels::KernelTable& table)
    : encoder_(job, table), expected_(job.parity_bytes()) {}

absl::Status ParityChecker::Check(codec::Shard parity, const uint8_t* sources) {
  const size_t bytes = codec::BytesIn(parity);
  if (bytes != expected_.size()) {
    return absl::DataLossError(
        absl::StrCat("answer: got ", bytes, " bytes of parity, want ", expected_.size()));
  }
  if (answers_++ % kSampledOf != 0) return absl::OkStatus();
  return Compare(parity, sources);
}

absl::Status ParityChecker::CheckBytes(const uint8_t* parity, const uint8_t* sources) {
  const codec::Segment whole = {parity, expected_.size()};
  return Compare(codec::Shard(&whole, 1), sources);
}

absl::Status ParityChecker::Compare(codec::Shard parity, const uint8_t* sources) {
  encoder_.EncodePacked(sources, expected_.data());
  const uint8_t* expected = expected_.data();
  for (const codec::Segment& segment : parity) {
    if (std::memcmp(segment.data, expected, segment.bytes) != 0) {
      const uint8_t* wrong =
          std::mismatch(segment.data, segment.data + segment.bytes, expected).second;
      return absl::DataLossError(
          absl::StrCat("answer: byte ", wrong - expected_.data(), " of the parity is wrong"));
    }
    expected += segment.bytes;
  }
  return absl::OkStatus();
}

}  // namespace parity::bench
