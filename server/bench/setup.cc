#include "setup.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "grid.h"

namespace parity::bench {

namespace {

absl::StatusOr<std::unique_ptr<ServerProcess>> Start(const Setup& setup, absl::string_view name,
                                                     const std::string& role) {
  return ServerProcess::Start(name,
                              {setup.bench_path, absl::StrCat("--role=", role),
                               absl::StrCat("--kernels=", setup.table->name)},
                              *setup.scratch, true);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ServerProcess>> StartRole(const Setup& setup,
                                                         const std::string& role) {
  return Start(setup, role, role);
}

absl::StatusOr<std::unique_ptr<ServerProcess>> StartSubject(
    const Setup& setup, absl::string_view name, const std::vector<std::string>& arguments) {
  if (setup.subject == Subject::kNaive) return Start(setup, name, "naive-server");
  std::vector<std::string> command = {setup.parityd_path,
                                      absl::StrCat("--kernels=", setup.table->name)};
  command.insert(command.end(), setup.parityd_options.begin(), setup.parityd_options.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return ServerProcess::Start(name, command, *setup.scratch);
}

bool SubjectHas(const Setup& setup, absl::string_view option) {
  return setup.subject == Subject::kParityd &&
         absl::StrContains(
             OutputOf({{setup.parityd_path, "--help"}, setup.scratch->PathOf("help")}), option);
}

absl::StatusOr<Workload> MakeWorkload(const Setup& setup, size_t shard_bytes, size_t stripes) {
  const Job job = {setup.geometry, shard_bytes, stripes};
  absl::StatusOr<Sources> sources = Sources::Make(job.source_bytes());
  if (!sources.ok()) return sources.status();
  return Workload{job, *sources, setup.table};
}

int DepthOf(const Setup& setup, const Job& job) {
  return setup.depth > 0 ? setup.depth : DefaultDepth(job.source_bytes());
}

}  // namespace parity::bench
