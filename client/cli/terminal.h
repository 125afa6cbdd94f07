// Lines to standard error, where a progress bar may be.
#ifndef PARITY_CLI_TERMINAL_H_
#define PARITY_CLI_TERMINAL_H_

#include "absl/strings/string_view.h"

namespace parity::cli {

// Writes "parityctl: <line>", in the place of the bar if there is one. Line feeds become spaces.
// Thread-safe, as all of these.
void PrintNotice(absl::string_view line);

// Whether standard error is a terminal.
bool HasTerminal();
// Draws the bar, a line shorter than the terminal's, or erases it.
void DrawBar(absl::string_view bar);
void EraseBar();

}  // namespace parity::cli

#endif  // PARITY_CLI_TERMINAL_H_
