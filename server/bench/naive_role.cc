#include "naive_role.h"

#include <cstdio>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "naive_client.h"

namespace parity::bench {
namespace {

// In front of the figure.
constexpr absl::string_view kMark = "requests_per_s=";

}  // namespace

absl::StatusOr<double> NaiveRate(const Setup& setup, const ServerProcess& server, const Row& row) {
  const Job job = {setup.geometry, row.shard_bytes, row.stripes};
  const std::vector<std::string> command = {
      setup.bench_path,
      "--role=naive-client",
      absl::StrCat("--kernels=", setup.table->name),
      absl::StrCat("--code=", std::string(codec::NameOf(setup.geometry.code()))),
      absl::StrCat("--data=", setup.geometry.data_shards()),
      absl::StrCat("--parity=", setup.geometry.parity_shards()),
      absl::StrCat("--seconds=", absl::ToDoubleSeconds(setup.duration)),
      absl::StrCat("--depth=", DepthOf(setup, job)),
      absl::StrCat("--connections=", row.connections),
      absl::StrCat("--target=", server.endpoint(row.transport).ToString()),
      absl::StrCat("--mode=", NameOf(row.mode)),
      absl::StrCat("--shard-bytes=", row.shard_bytes),
      absl::StrCat("--stripes=", row.stripes)};
  const std::string printed = OutputOf({command, setup.scratch->PathOf("naive-client.log"), true});
  absl::string_view rest = printed;
  double rate = 0;
  if (absl::ConsumePrefix(&rest, kMark) && absl::SimpleAtod(absl::StripSuffix(rest, "\n"), &rate)) {
    return rate;
  }
  return absl::InternalError(absl::StrCat("the naive client failed: ", printed));
}

absl::Status RunNaiveClientRole(const Setup& setup, const NaiveClientArguments& arguments) {
  const absl::StatusOr<endpoint::Endpoint> server = endpoint::Parse("target", arguments.target);
  if (!server.ok()) return server.status();
  const absl::StatusOr<Workload> workload =
      MakeWorkload(setup, arguments.shard_bytes, arguments.stripes);
  if (!workload.ok()) return workload.status();
  const Mode mode = arguments.mode == NameOf(Mode::kStream) ? Mode::kStream : Mode::kUnary;
  const absl::StatusOr<double> rate = RunNaiveClient(*server, mode, *workload, setup.connections,
                                                     DepthOf(setup, workload->job), setup.duration);
  if (!rate.ok()) return rate.status();
  absl::PrintF("%s%.9g\n", kMark, *rate);
  return absl::OkStatus();
}

}  // namespace parity::bench
