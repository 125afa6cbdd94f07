// System calls that fail as they do under the seccomp profile of a container.
#ifndef PARITY_TESTS_SECCOMP_REFUSED_CALLS_H_
#define PARITY_TESTS_SECCOMP_REFUSED_CALLS_H_

#include <vector>

namespace parity {

// From now on the system calls with these numbers (SYS_...) fail with `error`, an errno, in the
// calling thread and in all that it starts, also in programs, for good. False if the kernel has no
// seccomp filters.
bool RefuseCalls(const std::vector<long>& calls, int error);

}  // namespace parity

#endif  // PARITY_TESTS_SECCOMP_REFUSED_CALLS_H_
