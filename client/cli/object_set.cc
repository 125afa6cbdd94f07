#include "object_set.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "terminal.h"

namespace parity::cli {
namespace {

bool MeetsAll(const absl::Status& error) {
  return absl::IsCancelled(error) || absl::IsUnavailable(error) || absl::IsDeadlineExceeded(error);
}

}  // namespace

absl::StatusOr<ExitCode> ForEachObject(
    const shardfile::FoundShards& found, const OutputOptions& output,
    const std::function<absl::StatusOr<bool>(const shardfile::ShardSet& set, Json& json)>& work) {
  ExitCode code = found.strays.empty() ? ExitCode::kGood : ExitCode::kDamaged;
  bool has_failed = false;
  Json objects = Json::array();
  for (const shardfile::ShardSet& set : found.sets) {
    Json json = ObjectAsJson(set.object_id, set.layout);
    const absl::StatusOr<bool> good = set.fault.ok() ? work(set, json) : set.fault;
    if (!good.ok()) {
      if (MeetsAll(good.status())) return good.status();
      const absl::Status error(
          good.status().code(),
          absl::StrCat("object ", set.object_id.ToString(), ": ", good.status().message()));
      PrintNotice(error.message());
      json["error"] = ErrorAsJson(error);
      if (!has_failed) code = ExitCodeFor(error);
      has_failed = true;
    } else if (!*good && !has_failed) {
      code = ExitCode::kDamaged;
    }
    objects.push_back(std::move(json));
  }
  if (found.sets.empty()) return found.strays.front().fault;
  if (output.json) {
    PrintJson({{"objects", std::move(objects)}, {"strays", StraysAsJson(found)}});
  } else if (output.prints_lines()) {
    PrintStrays(found);
  }
  return code;
}

absl::StatusOr<shardfile::ShardSet> OnlyObject(const shardfile::FoundShards& found) {
  if (found.sets.empty()) return found.strays.front().fault;
  if (found.sets.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("PATH: got shards of ", found.sets.size(), " objects, want those of one"));
  }
  return found.sets.front();
}

}  // namespace parity::cli
