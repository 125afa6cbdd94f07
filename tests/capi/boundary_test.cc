// No exception crosses into C.
#include "boundary.h"

#include <new>
#include <stdexcept>
#include <string>

#include "gtest/gtest.h"
#include "owned_handles.h"

namespace parity::capi {
namespace {

template <class Exception>
std::string Throw(const Exception& exception, parity_error& error) {
  error = Dirty();
  const parity_status status = AtBoundary(&error, [&]() -> absl::Status { throw exception; });
  return Said(status, error);
}

TEST(CapiBoundary, TurnsExceptionsIntoErrors) {
  parity_error error;
  EXPECT_EQ(Throw(std::bad_alloc(), error), "8 ");
  EXPECT_EQ(Throw(std::runtime_error("what it says"), error), "13 ");
  EXPECT_STREQ(error.message, "what it says");
  EXPECT_EQ(Throw(7, error), "13 ");
  EXPECT_EQ(AtBoundary(nullptr, []() -> absl::Status { throw std::bad_alloc(); }),
            PARITY_RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace parity::capi
