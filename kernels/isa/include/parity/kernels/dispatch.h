// Which kernel tables exist, which this CPU can run, and which one to use.
//
// Key decision: choice is data. The tables are listed best first; the first that the CPU can run
// wins, unless the caller names one.
#ifndef PARITY_KERNELS_DISPATCH_H_
#define PARITY_KERNELS_DISPATCH_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/kernels/cpu_features.h"
#include "parity/kernels/kernel_table.h"

namespace parity::kernels {

// The tables compiled into this program that a CPU with these registers can run, best first: where
// 512-bit registers lower the clock, those that use them come after those that do not. Never empty,
// as the last one, "scalar", needs nothing.
std::vector<const KernelTable*> UsableTables(const CpuRegisters& registers);

// The table called `name`, or the best one if `name` is "auto" or empty, for the CPU this runs on.
// INVALID_ARGUMENT for a name that is unknown or that this CPU cannot run; the message lists the
// names that it can run.
absl::StatusOr<const KernelTable*> SelectTable(std::string_view name);

}  // namespace parity::kernels

#endif  // PARITY_KERNELS_DISPATCH_H_
