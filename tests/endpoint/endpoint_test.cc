#include "parity/endpoint/endpoint.h"

#include <stdlib.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parity/codec/field_error.h"

namespace parity::endpoint {
namespace {

TEST(Endpoint, ParsesEveryFormAndPrintsItBack) {
  for (const char* text : {"127.0.0.1:7420", "localhost:0", "[::1]:65535", "node-3.storage:1",
                           "unix:/run/parityd/parityd.sock", "unix:relative.sock"}) {
    const auto endpoint = Parse("listen", text);
    ASSERT_TRUE(endpoint.ok()) << endpoint.status();
    EXPECT_EQ(endpoint->ToString(), text);
    EXPECT_EQ(endpoint->is_unix(), std::string(text).rfind("unix:", 0) == 0);
  }
}

TEST(Endpoint, RefusesAnythingElseNamingFieldAndValue) {
  for (const char* text : {"", "7420", ":7420", "host", "host:", "host:65536", "host:-1", "host:7x",
                           "::1:7420", "[::1]", "unix:", "[]:1"}) {
    const auto endpoint = Parse("listen", text);
    EXPECT_TRUE(absl::IsInvalidArgument(endpoint.status())) << text;
    EXPECT_EQ(codec::FieldOf(endpoint.status()), "listen");
    EXPECT_THAT(std::string(endpoint.status().message()), ::testing::HasSubstr(text));
  }
}

TEST(Endpoint, APathIsAsLongAsASocketAddressHolds) {
  for (size_t bytes : {106u, 107u, 108u}) {
    EXPECT_EQ(Parse("listen", "unix:" + std::string(bytes, 'p')).ok(), bytes <= 107) << bytes;
  }
}

TEST(Endpoint, TheDefaultSocketIsInTheRuntimeDirectory) {
  setenv("XDG_RUNTIME_DIR", "/somewhere", 1);
  EXPECT_EQ(DefaultUnixEndpoint().ToString(), "unix:/somewhere/parityd/parityd.sock");
  EXPECT_EQ(DefaultServer().ToString(), "127.0.0.1:7420");  // no socket there
}

}  // namespace
}  // namespace parity::endpoint
