#include "naive_server.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "grpcpp/grpcpp.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "stripe_encoder.h"

namespace parity::bench {
namespace {

const uint8_t* BytesOf(const std::string& text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// The answer has the form of the request.
grpc::Status Encode(const v1::EncodeRequest& request, const kernels::KernelTable& table,
                    v1::EncodeResponse& response) {
  const auto invalid = [](absl::string_view what) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, std::string(what));
  };
  const absl::StatusOr<codec::Geometry> geometry = wire::GeometryFrom(request.geometry());
  if (!geometry.ok()) return invalid(geometry.status().message());
  const size_t stripes = std::max(1U, request.stripes());
  const size_t shards = geometry->data_shards() * stripes;
  const bool packed = !request.packed_shards().empty();
  if (!packed && static_cast<size_t>(request.shards_size()) != shards) {
    return invalid(absl::StrCat("shards: got ", request.shards_size(), ", want ", shards));
  }
  const size_t shard_bytes = packed ? request.shard_bytes() : request.shards(0).size();
  if (packed && request.packed_shards().size() != shards * shard_bytes) {
    return invalid("packed_shards: wrong length");
  }
  std::vector<const uint8_t*> sources(shards);
  for (size_t i = 0; i < shards; ++i) {
    if (packed) {
      sources[i] = BytesOf(request.packed_shards()) + i * shard_bytes;
      continue;
    }
    const std::string& shard = request.shards(static_cast<int>(i));
    if (shard.size() != shard_bytes) return invalid("shards: not of one length");
    sources[i] = BytesOf(shard);
  }

  StripeEncoder encoder({*geometry, shard_bytes, stripes}, table);
  std::string parity(encoder.job().parity_bytes(), '\0');
  encoder.Encode(sources, reinterpret_cast<uint8_t*>(parity.data()));
  response.set_shard_bytes(shard_bytes);
  if (packed || parity.size() == shard_bytes) {
    *(packed ? response.mutable_packed_shards() : response.add_shards()) = std::move(parity);
    return grpc::Status::OK;
  }
  for (size_t at = 0; at < parity.size(); at += shard_bytes) {
    response.add_shards(parity.data() + at, shard_bytes);
  }
  return grpc::Status::OK;
}

// Reads a request, answers it, reads the next.
class Stream final : public grpc::ServerBidiReactor<v1::ProcessRequest, v1::ProcessResponse> {
 public:
  explicit Stream(const kernels::KernelTable& table) : table_(table) { StartRead(&request_); }

  void OnReadDone(bool ok) override {
    if (!ok) {
      Finish(grpc::Status::OK);
      return;
    }
    response_.Clear();
    response_.set_id(request_.id());
    const grpc::Status status = Encode(request_.encode(), table_, *response_.mutable_encode());
    if (!status.ok()) {
      response_.mutable_error()->set_code(status.error_code());
      response_.mutable_error()->set_message(status.error_message());
    }
    StartWrite(&response_);
  }
  void OnWriteDone(bool ok) override {
    if (ok) {
      StartRead(&request_);
    } else {
      Finish(grpc::Status::CANCELLED);
    }
  }
  void OnDone() override { delete this; }

 private:
  const kernels::KernelTable& table_;
  v1::ProcessRequest request_;
  v1::ProcessResponse response_;
};

class Service final : public v1::ParityService::CallbackService {
 public:
  explicit Service(const kernels::KernelTable& table) : table_(table) {}

  grpc::ServerUnaryReactor* Encode(grpc::CallbackServerContext* context,
                                   const v1::EncodeRequest* request,
                                   v1::EncodeResponse* response) override {
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(bench::Encode(*request, table_, *response));
    return reactor;
  }
  grpc::ServerBidiReactor<v1::ProcessRequest, v1::ProcessResponse>* Process(
      grpc::CallbackServerContext*) override {
    return new Stream(table_);
  }

 private:
  const kernels::KernelTable& table_;
};

}  // namespace

absl::Status RunNaiveServer(const std::vector<endpoint::Endpoint>& endpoints,
                            const kernels::KernelTable& table) {
  Service service(table);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&service);
  std::vector<int> ports(endpoints.size());
  for (size_t i = 0; i < endpoints.size(); ++i) {
    builder.AddListeningPort(endpoints[i].ToString(), grpc::InsecureServerCredentials(), &ports[i]);
  }
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return absl::UnavailableError("gRPC did not start a server");
  for (size_t i = 0; i < endpoints.size(); ++i) {
    endpoint::Endpoint bound = endpoints[i];
    if (!bound.is_unix()) bound.port = static_cast<uint16_t>(ports[i]);
    absl::FPrintF(stderr, "listening on %s\n", bound.ToString());
  }
  absl::FPrintF(stderr, "ready\n");
  server->Wait();
  return absl::OkStatus();
}

}  // namespace parity::bench
