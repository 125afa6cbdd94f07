#include "parity/codec/field_error.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace parity::codec {
namespace {

TEST(FieldError, SaysWhatWasGotAndWhatWasWanted) {
  const absl::Status status =
      FieldError(absl::StatusCode::kFailedPrecondition, "present", "3 shards", "at least 4");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()), "present: got 3 shards, want at least 4");
  EXPECT_EQ(FieldOf(status), "present");
}

TEST(InvalidField, FormatsNumbersAndText) {
  EXPECT_EQ(std::string(InvalidField("k", 300u, "1 to 254").message()),
            "k: got 300, want 1 to 254");
  EXPECT_EQ(std::string(InvalidField("code", "md5", "rs").message()), "code: got md5, want rs");
  EXPECT_EQ(std::string(InvalidField("code", std::string_view("md5"), "rs").message()),
            "code: got md5, want rs");
  EXPECT_EQ(std::string(InvalidField("code", std::string("md5"), "rs").message()),
            "code: got md5, want rs");
  EXPECT_EQ(InvalidField("k", 0, "more").code(), absl::StatusCode::kInvalidArgument);
}

TEST(AttachField, NamesTheFieldAndLeavesTheMessage) {
  absl::Status status = absl::InvalidArgumentError("no good");
  AttachField(status, "geometry.code");
  EXPECT_EQ(FieldOf(status), "geometry.code");
  EXPECT_EQ(std::string(status.message()), "no good");
}

TEST(FieldOf, IsUnsetForOtherErrors) {
  EXPECT_EQ(FieldOf(absl::InternalError("no")), std::nullopt);
  EXPECT_EQ(FieldOf(absl::OkStatus()), std::nullopt);
}

}  // namespace
}  // namespace parity::codec
