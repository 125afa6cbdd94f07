#include "parity/client/ring.h"

#include <algorithm>
#include <cstring>

#include "parity/shm/record.h"
#include "server_ring.h"

namespace parity::client {

absl::StatusOr<std::unique_ptr<Ring>> Ring::Connect(const RingOptions& options) {
  return ServerRing::Open(options);
}

size_t Ring::ReportBytes(const codec::Geometry& geometry, uint32_t stripes) {
  return shm::ReportBytes(geometry, stripes);
}

RingReport Ring::ReadReport(absl::Span<const uint8_t> report) {
  RingReport result;
  shm::VerifyReport header{};
  if (report.size() < sizeof header) return result;
  std::memcpy(&header, report.data(), sizeof header);
  report.remove_prefix(sizeof header);
  const size_t room = report.size() / sizeof(shm::VerifyReport::Mismatch);
  const size_t count = std::min<size_t>(header.mismatches, room);
  result.mismatches.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    shm::VerifyReport::Mismatch mismatch;
    std::memcpy(&mismatch, report.data() + i * sizeof mismatch, sizeof mismatch);
    result.mismatches.push_back({mismatch.stripe, {mismatch.shard, mismatch.offset}});
  }
  result.more = header.more != 0;
  if (header.suspect != shm::VerifyReport::kNoSuspect) result.suspect = header.suspect;
  return result;
}

}  // namespace parity::client
