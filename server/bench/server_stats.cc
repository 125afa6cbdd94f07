#include "server_stats.h"

#include <array>
#include <map>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "grpc_connection.h"
#include "grpcpp/support/proto_buffer_reader.h"
#include "parity/v1/parity.pb.h"

namespace parity::bench {
namespace {

// Lengths with a smaller share are left out.
constexpr double kShownPercent = 0.1;

constexpr char kMethod[] = "GetServerStats";

absl::StatusOr<v1::GetServerStatsResponse> GetStats(const endpoint::Endpoint& server) {
  const absl::StatusOr<std::shared_ptr<GrpcConnection>> connection = GrpcConnection::Open(server);
  if (!connection.ok()) return connection.status();
  absl::StatusOr<grpc::ByteBuffer> response =
      CallAndWait(**connection, kMethod, grpc::ByteBuffer(nullptr, 0));
  if (!response.ok()) return response.status();
  v1::GetServerStatsResponse stats;
  grpc::ProtoBufferReader reader(&*response);
  if (!stats.ParseFromZeroCopyStream(&reader)) {
    return absl::DataLossError(absl::StrCat(kMethod, ": not a well-formed answer"));
  }
  return stats;
}

}  // namespace

absl::StatusOr<std::string> DescribeRuns(const endpoint::Endpoint& server) {
  const absl::StatusOr<v1::GetServerStatsResponse> stats = GetStats(server);
  if (!stats.ok()) return stats.status();
  // By length, the bytes of each alignment.
  std::map<uint64_t, std::array<uint64_t, v1::Alignment_ARRAYSIZE>> rows;
  uint64_t all = 0;
  for (const auto& runs : stats->runs()) {
    if (!v1::Alignment_IsValid(runs.alignment())) continue;
    rows[runs.max_bytes()][static_cast<size_t>(runs.alignment())] += runs.bytes();
    all += runs.bytes();
  }
  std::string text = absl::StrFormat("runs of at most bytes  %9s %9s %9s  (shares of %.3f GB)\n",
                                     "aligned", "equal", "mixed", static_cast<double>(all) * 1e-9);
  const auto percent = [all](uint64_t bytes) {
    return 100 * static_cast<double>(bytes) / static_cast<double>(all);
  };
  for (const auto& [max_bytes, bytes] : rows) {
    const uint64_t of_length = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    if (percent(of_length) < kShownPercent) continue;
    absl::StrAppendFormat(&text, "%21d  %8.1f%% %8.1f%% %8.1f%%\n", max_bytes,
                          percent(bytes[v1::ALIGNMENT_ALIGNED]),
                          percent(bytes[v1::ALIGNMENT_EQUAL]), percent(bytes[v1::ALIGNMENT_MIXED]));
  }
  return text;
}

}  // namespace parity::bench
