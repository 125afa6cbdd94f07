// The signals that end parityctl cleanly.
#ifndef PARITY_CLI_INTERRUPT_H_
#define PARITY_CLI_INTERRUPT_H_

#include <atomic>

namespace parity::cli {

// SIGINT, SIGTERM and SIGHUP, unless they are ignored (as under nohup), set the flag that
// Interrupted() returns. Each does so once; a second one ends the process as if there were no
// handler.
void HandleInterrupts();

const std::atomic<bool>& Interrupted();

// REQUIRES: Interrupted(). The signal that came first.
int InterruptSignal();

}  // namespace parity::cli

#endif  // PARITY_CLI_INTERRUPT_H_
