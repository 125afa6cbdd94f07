// What libraries log comes into the server's log, one line each.
#include "grpc/support/log.h"
#include "captured_log.h"
#include "gtest/gtest.h"

namespace parity::testing {
namespace {

TEST(Log, ControlCharactersOfALibrarysMessageDoNotReachTheTerminal) {
  const CapturedLog log;
  gpr_log(GPR_ERROR, "peer said \n2026-01-01 info forged\r\t\x1b[31m\x7f\xff.");
  EXPECT_EQ(log.Count("grpc: peer said ?2026-01-01 info forged???[31m??."), 1);
  EXPECT_EQ(log.Count("\x1b"), 0);
}

}  // namespace
}  // namespace parity::testing
