// The signals that end parityctl cleanly.
#ifndef PARITY_CLI_INTERRUPT_H_
#define PARITY_CLI_INTERRUPT_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "parity/client/call_options.h"

namespace parity::cli {

// How long a command may take to end by itself after a signal.
inline constexpr absl::Duration kTimeToEnd = absl::Seconds(1);

// SIGINT, SIGTERM and SIGHUP, unless they are ignored (as under nohup), cancel Interruption(). Each
// does so once; a second one ends the process as if there were no handler. If the process has not
// ended kTimeToEnd after the first, it is ended as InterruptSignal says, and its temporary files
// are removed: a frozen server or a dead disk does not hold it. Starts a thread.
void HandleInterrupts();

client::Cancellation& Interruption();

// The signal that came first, or 0.
int InterruptSignal();

// Says on standard error that a signal ended the command. Returns the exit status.
int FailAsInterrupted();

// Waits until the descriptor can be read. CANCELLED if a signal comes first.
absl::Status WaitForInput(int descriptor);

}  // namespace parity::cli

#endif  // PARITY_CLI_INTERRUPT_H_
