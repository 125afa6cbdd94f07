#include "parity/wire/status.h"

#include <optional>
#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "google/protobuf/message_lite.h"
#include "parity/codec/field_error.h"

namespace parity::wire {
namespace {

constexpr char kBadRequestUrl[] = "type.googleapis.com/google.rpc.BadRequest";
constexpr char kRetryInfoUrl[] = "type.googleapis.com/google.rpc.RetryInfo";

void AddDetail(status::v1::Status& status, const char* type_url,
               const google::protobuf::MessageLite& detail) {
  auto* any = status.add_details();
  any->set_type_url(type_url);
  any->set_value(detail.SerializeAsString());
}

grpc::StatusCode CodeToGrpc(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return grpc::StatusCode::OK;
    case absl::StatusCode::kCancelled:
      return grpc::StatusCode::CANCELLED;
    case absl::StatusCode::kUnknown:
      return grpc::StatusCode::UNKNOWN;
    case absl::StatusCode::kInvalidArgument:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case absl::StatusCode::kDeadlineExceeded:
      return grpc::StatusCode::DEADLINE_EXCEEDED;
    case absl::StatusCode::kNotFound:
      return grpc::StatusCode::NOT_FOUND;
    case absl::StatusCode::kAlreadyExists:
      return grpc::StatusCode::ALREADY_EXISTS;
    case absl::StatusCode::kPermissionDenied:
      return grpc::StatusCode::PERMISSION_DENIED;
    case absl::StatusCode::kResourceExhausted:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case absl::StatusCode::kFailedPrecondition:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case absl::StatusCode::kAborted:
      return grpc::StatusCode::ABORTED;
    case absl::StatusCode::kOutOfRange:
      return grpc::StatusCode::OUT_OF_RANGE;
    case absl::StatusCode::kUnimplemented:
      return grpc::StatusCode::UNIMPLEMENTED;
    case absl::StatusCode::kInternal:
      return grpc::StatusCode::INTERNAL;
    case absl::StatusCode::kUnavailable:
      return grpc::StatusCode::UNAVAILABLE;
    case absl::StatusCode::kDataLoss:
      return grpc::StatusCode::DATA_LOSS;
    case absl::StatusCode::kUnauthenticated:
      return grpc::StatusCode::UNAUTHENTICATED;
    case absl::StatusCode::kDoNotUseReservedForFutureExpansionUseDefaultInSwitchInstead_:
      break;
  }
  return grpc::StatusCode::UNKNOWN;
}

absl::StatusCode CodeFromGrpc(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::OK:
      return absl::StatusCode::kOk;
    case grpc::StatusCode::CANCELLED:
      return absl::StatusCode::kCancelled;
    case grpc::StatusCode::UNKNOWN:
      return absl::StatusCode::kUnknown;
    case grpc::StatusCode::INVALID_ARGUMENT:
      return absl::StatusCode::kInvalidArgument;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::StatusCode::kDeadlineExceeded;
    case grpc::StatusCode::NOT_FOUND:
      return absl::StatusCode::kNotFound;
    case grpc::StatusCode::ALREADY_EXISTS:
      return absl::StatusCode::kAlreadyExists;
    case grpc::StatusCode::PERMISSION_DENIED:
      return absl::StatusCode::kPermissionDenied;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return absl::StatusCode::kResourceExhausted;
    case grpc::StatusCode::FAILED_PRECONDITION:
      return absl::StatusCode::kFailedPrecondition;
    case grpc::StatusCode::ABORTED:
      return absl::StatusCode::kAborted;
    case grpc::StatusCode::OUT_OF_RANGE:
      return absl::StatusCode::kOutOfRange;
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::StatusCode::kUnimplemented;
    case grpc::StatusCode::INTERNAL:
      return absl::StatusCode::kInternal;
    case grpc::StatusCode::UNAVAILABLE:
      return absl::StatusCode::kUnavailable;
    case grpc::StatusCode::DATA_LOSS:
      return absl::StatusCode::kDataLoss;
    case grpc::StatusCode::UNAUTHENTICATED:
      return absl::StatusCode::kUnauthenticated;
    case grpc::StatusCode::DO_NOT_USE:
      break;
  }
  return absl::StatusCode::kUnknown;
}

}  // namespace

absl::Status Overloaded(absl::string_view message, absl::Duration retry_delay) {
  absl::Status status(absl::StatusCode::kResourceExhausted, message);
  status.SetPayload(kRetryInfoUrl, absl::Cord(absl::FormatDuration(retry_delay)));
  return status;
}

std::optional<absl::Duration> RetryDelayOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kRetryInfoUrl);
  absl::Duration delay;
  if (!payload.has_value() || !absl::ParseDuration(std::string(*payload), &delay)) {
    return std::nullopt;
  }
  return delay;
}

status::v1::Status ToProto(const absl::Status& status) {
  status::v1::Status proto;
  proto.set_code(CodeToGrpc(status.code()));
  proto.set_message(std::string(status.message()));
  if (const std::optional<std::string> field = codec::FieldOf(status); field.has_value()) {
    status::v1::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(*field);
    violation->set_description(proto.message());
    AddDetail(proto, kBadRequestUrl, bad_request);
  }
  if (const std::optional<absl::Duration> delay = RetryDelayOf(status); delay.has_value()) {
    status::v1::RetryInfo retry;
    absl::Duration rest = *delay;
    retry.mutable_retry_delay()->set_seconds(absl::IDivDuration(rest, absl::Seconds(1), &rest));
    retry.mutable_retry_delay()->set_nanos(static_cast<int>(absl::ToInt64Nanoseconds(rest)));
    AddDetail(proto, kRetryInfoUrl, retry);
  }
  return proto;
}

absl::Status FromProto(const status::v1::Status& proto) {
  absl::Status result(CodeFromGrpc(static_cast<grpc::StatusCode>(proto.code())), proto.message());
  if (result.ok()) return result;
  for (const auto& any : proto.details()) {
    status::v1::BadRequest bad_request;
    status::v1::RetryInfo retry;
    if (any.type_url() == kBadRequestUrl && bad_request.ParseFromString(any.value()) &&
        bad_request.field_violations_size() > 0) {
      codec::AttachField(result, bad_request.field_violations(0).field());
    }
    if (any.type_url() == kRetryInfoUrl && retry.ParseFromString(any.value())) {
      const absl::Duration delay = absl::Seconds(retry.retry_delay().seconds()) +
                                   absl::Nanoseconds(retry.retry_delay().nanos());
      result.SetPayload(kRetryInfoUrl, absl::Cord(absl::FormatDuration(delay)));
    }
  }
  return result;
}

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const status::v1::Status details = ToProto(status);
  const auto code = static_cast<grpc::StatusCode>(details.code());
  if (details.details().empty()) return grpc::Status(code, details.message());
  return grpc::Status(code, details.message(), details.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  status::v1::Status proto;
  if (!proto.ParseFromString(status.error_details())) proto.Clear();
  // The trailer's details do not decide: the code and the message do.
  proto.set_code(status.error_code());
  proto.set_message(status.error_message());
  return FromProto(proto);
}

}  // namespace parity::wire
