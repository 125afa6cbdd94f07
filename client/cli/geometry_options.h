// The options that say what shards a stripe has.
#ifndef PARITY_CLI_GEOMETRY_OPTIONS_H_
#define PARITY_CLI_GEOMETRY_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "parity/codec/geometry.h"

namespace parity::cli {

struct GeometryOptions {
  uint32_t data_shards = 4;
  std::optional<uint32_t> parity_shards;  // unset: 1 for xor, else 2
  std::string code = "rs";
  std::string matrix;  // empty: the default of the code
};

// Adds --data, --parity, --code and --matrix.
void AddGeometryOptions(CLI::App& command, GeometryOptions& options);

// INVALID_ARGUMENT, naming the option.
absl::StatusOr<codec::Geometry> GeometryOf(const GeometryOptions& options);

}  // namespace parity::cli

#endif  // PARITY_CLI_GEOMETRY_OPTIONS_H_
