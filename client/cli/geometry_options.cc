#include "geometry_options.h"

#include "absl/strings/str_cat.h"
#include "option_values.h"

namespace parity::cli {

void AddGeometryOptions(CLI::App& command, GeometryOptions& options) {
  command
      .add_option(
          "--data", options.data_shards,
          absl::StrCat("How many data shards, at most ", codec::Geometry::kMaxDataShards,
                       "; for rs, K + M is at most ", codec::Geometry::kMaxReedSolomonShards))
      ->type_name("K")
      ->capture_default_str();
  command
      .add_option("--parity", options.parity_shards,
                  "How many parity shards: as many as may be lost. Default: 1 for xor,\n"
                  "else 2")
      ->type_name("M");
  AddChoice(command, "--code", options.code, {"rs", "raid6", "xor"},
            "How parity is computed: Reed-Solomon, RAID-6 (M is 2), XOR (M is 1)")
      ->capture_default_str();
  AddChoice(command, "--matrix", options.matrix,
            {"cauchy", "vandermonde", "systematic-vandermonde"},
            "The factors of rs: cauchy, the default, vandermonde (those of ISA-L; with K and M\n"
            "above 3 some shapes cannot restore every loss of M shards),\n"
            "systematic-vandermonde (those of MinIO)");
}

absl::StatusOr<codec::Geometry> GeometryOf(const GeometryOptions& options) {
  const absl::StatusOr<codec::Code> code = codec::CodeFromName(options.code);
  if (!code.ok()) return code.status();
  std::optional<codec::Matrix> matrix;
  if (!options.matrix.empty()) {
    const absl::StatusOr<codec::Matrix> named = codec::MatrixFromName(options.matrix);
    if (!named.ok()) return named.status();
    matrix = *named;
  }
  absl::StatusOr<codec::Geometry> geometry = codec::Geometry::Make(
      *code, options.data_shards,
      options.parity_shards.value_or(*code == codec::Code::kXor ? 1 : 2), matrix);
  if (geometry.ok()) return geometry;
  return NameOption(geometry.status(), {{"geometry.code", "--code"},
                                        {"geometry.matrix", "--matrix"},
                                        {"geometry.data_shards", "--data"},
                                        {"geometry.parity_shards", "--parity"}});
}

}  // namespace parity::cli
