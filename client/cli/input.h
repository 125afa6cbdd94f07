// What a command reads from standard input.
#ifndef PARITY_CLI_INPUT_H_
#define PARITY_CLI_INPUT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "parity/shardfile/file.h"

namespace parity::cli {

// Everything up to the end of standard input, in a file without a name on the file system of
// `directory`. INVALID_ARGUMENT if it is longer than `most_bytes`; CANCELLED when a signal comes;
// one of File's.
absl::StatusOr<shardfile::File> SpoolStandardInput(const std::string& directory,
                                                   uint64_t most_bytes);

}  // namespace parity::cli

#endif  // PARITY_CLI_INPUT_H_
