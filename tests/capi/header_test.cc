// What the header promises of constants, and that C99 can use it.
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "c99.h"
#include "gtest/gtest.h"
#include "owned_handles.h"
#include "parity.h"
#include "parity/codec/geometry.h"

namespace parity::capi {
namespace {

TEST(CapiHeader, StatusesHaveTheValuesOfGrpc) {
  const std::pair<int, absl::StatusCode> codes[] = {
      {PARITY_OK, absl::StatusCode::kOk},
      {PARITY_CANCELLED, absl::StatusCode::kCancelled},
      {PARITY_UNKNOWN, absl::StatusCode::kUnknown},
      {PARITY_INVALID_ARGUMENT, absl::StatusCode::kInvalidArgument},
      {PARITY_DEADLINE_EXCEEDED, absl::StatusCode::kDeadlineExceeded},
      {PARITY_NOT_FOUND, absl::StatusCode::kNotFound},
      {PARITY_ALREADY_EXISTS, absl::StatusCode::kAlreadyExists},
      {PARITY_PERMISSION_DENIED, absl::StatusCode::kPermissionDenied},
      {PARITY_RESOURCE_EXHAUSTED, absl::StatusCode::kResourceExhausted},
      {PARITY_FAILED_PRECONDITION, absl::StatusCode::kFailedPrecondition},
      {PARITY_ABORTED, absl::StatusCode::kAborted},
      {PARITY_OUT_OF_RANGE, absl::StatusCode::kOutOfRange},
      {PARITY_UNIMPLEMENTED, absl::StatusCode::kUnimplemented},
      {PARITY_INTERNAL, absl::StatusCode::kInternal},
      {PARITY_UNAVAILABLE, absl::StatusCode::kUnavailable},
      {PARITY_DATA_LOSS, absl::StatusCode::kDataLoss},
      {PARITY_UNAUTHENTICATED, absl::StatusCode::kUnauthenticated},
  };
  for (const auto& [status, code] : codes) EXPECT_EQ(status, static_cast<int>(code));
}

TEST(CapiHeader, CodesAndMatricesHaveTheValuesOfTheCodec) {
  EXPECT_EQ(PARITY_CODE_XOR, static_cast<int>(codec::Code::kXor));
  EXPECT_EQ(PARITY_CODE_RAID6, static_cast<int>(codec::Code::kRaid6));
  EXPECT_EQ(PARITY_CODE_REED_SOLOMON, static_cast<int>(codec::Code::kReedSolomon));
  EXPECT_EQ(PARITY_MATRIX_CAUCHY, static_cast<int>(codec::Matrix::kCauchy));
  EXPECT_EQ(PARITY_MATRIX_VANDERMONDE, static_cast<int>(codec::Matrix::kVandermonde));
  EXPECT_EQ(PARITY_MATRIX_SYSTEMATIC_VANDERMONDE,
            static_cast<int>(codec::Matrix::kSystematicVandermonde));
  EXPECT_EQ(PARITY_MATRIX_CUSTOM, static_cast<int>(codec::Matrix::kCustom));
}

// A change here breaks every program that is compiled: it takes a new PARITY_ version of the
// symbols.
TEST(CapiHeader, LayoutsStayAsTheyAre) {
  EXPECT_EQ(sizeof(parity_status), 4U);
  EXPECT_EQ(sizeof(parity_error), 1088U);
  EXPECT_EQ(offsetof(parity_error, message), 64U);
  EXPECT_EQ(sizeof(parity_mismatch), 16U);
  EXPECT_EQ(offsetof(parity_mismatch, shard), 8U);
  EXPECT_EQ(offsetof(parity_geometry, data_shards), 8U);
  EXPECT_EQ(offsetof(parity_geometry, generator), 16U);
  EXPECT_EQ(offsetof(parity_geometry, generator_bytes), 16 + sizeof(void*));
  EXPECT_EQ(offsetof(parity_call_options, deadline_ms), 8U);
  EXPECT_EQ(offsetof(parity_call_options, cancellation), 16U);
  EXPECT_EQ(offsetof(parity_call_options, traceparent), 16 + sizeof(void*));
}

TEST(CapiHeader, IsC99) {
  uint8_t first[] = {1, 2, 3}, second[] = {4, 4, 4}, parity[] = {9, 9, 9};
  uint8_t* const shards[] = {first, second};
  EXPECT_EQ(EncodeFromC99(shards, parity, 3), PARITY_OK);
  EXPECT_EQ(parity[0], 5);
  EXPECT_EQ(parity[1], 6);
  EXPECT_EQ(parity[2], 7);
}

TEST(CapiHeader, TellsTheVersion) { EXPECT_EQ(std::string(parity_version()), PARITY_VERSION); }

TEST(CapiHeader, FunctionsWithoutAStatusTakeNull) {
  parity_options_free(nullptr);
  parity_client_free(nullptr);
  parity_cancellation_cancel(nullptr);
  parity_cancellation_free(nullptr);
  parity_buffer_free(nullptr);
  parity_stats_free(nullptr);
  EXPECT_EQ(parity_kernels_in_use(nullptr), nullptr);
  EXPECT_EQ(parity_buffer_data(nullptr), nullptr);
  EXPECT_EQ(parity_buffer_size(nullptr), 0U);
  EXPECT_EQ(parity_buffer_is_shared(nullptr), 0);
  EXPECT_EQ(parity_stats_server_count(nullptr), 0U);
  EXPECT_EQ(parity_stats_server_address(nullptr, 0), nullptr);
}

}  // namespace
}  // namespace parity::capi
