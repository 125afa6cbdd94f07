#include "fork_guard.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace parity::client {
namespace {

int ExitStatusOf(pid_t child) {
  int exit_status = -1;
  EXPECT_EQ(waitpid(child, &exit_status, 0), child);
  return exit_status;
}

TEST(ForkGuard, KnowsTheProcessThatItWasMadeIn) {
  const ForkGuard parents;
  EXPECT_FALSE(parents.IsInherited());
  const pid_t child = fork();
  if (child == 0) {
    const ForkGuard own;
    bool right = parents.IsInherited() && !own.IsInherited();
    const pid_t grandchild = fork();
    if (grandchild == 0) _exit(parents.IsInherited() && own.IsInherited() ? 0 : 1);
    right = right && ExitStatusOf(grandchild) == 0 && !own.IsInherited();
    _exit(right ? 0 : 1);
  }
  EXPECT_EQ(ExitStatusOf(child), 0);
  EXPECT_FALSE(parents.IsInherited());
}

}  // namespace
}  // namespace parity::client
