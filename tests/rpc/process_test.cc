// Process streams: many requests under way, each answered by id.
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "grpcpp/generic/generic_stub.h"
#include "gtest/gtest.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "server_fixture.h"
#include "stripe_messages.h"

namespace parity::testing {
namespace {

using codec::Code;
using codec::Geometry;

class Process : public ::testing::Test {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::ProcessRequest, v1::ProcessResponse>;

  // The answers to the requests, by id, and how the stream ended.
  std::map<uint64_t, v1::ProcessResponse> Exchange(const std::vector<v1::ProcessRequest>& requests,
                                                   grpc::Status* outcome) {
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = stub_->Process(&context);
    std::thread writer([&] {
      for (const auto& request : requests) {
        if (!stream->Write(request)) break;
      }
      stream->WritesDone();
    });
    std::map<uint64_t, v1::ProcessResponse> answers;
    v1::ProcessResponse response;
    while (stream->Read(&response)) {
      EXPECT_TRUE(answers.emplace(response.id(), response).second) << "answered twice";
    }
    writer.join();
    *outcome = stream->Finish();
    return answers;
  }

  RunningServer server_;
  std::unique_ptr<v1::ParityService::Stub> stub_ = v1::ParityService::NewStub(server_.Connect());
};

template <class Request>
Request For(const Stripes& stripes, const std::vector<std::string>& shards, bool packed = true) {
  return RequestFor<Request>(wire::ToProto(stripes.geometry), shards, stripes.shard_bytes,
                             static_cast<uint32_t>(stripes.shards.size()), packed);
}

TEST_F(Process, AnswersEveryOperationByItsId) {
  std::vector<v1::ProcessRequest> requests;
  std::map<uint64_t, std::vector<std::string>> wanted;
  const Geometry geometry = *Geometry::Make(Code::kReedSolomon, 4, 2);
  for (uint64_t i = 0; i < 200; ++i) {
    const size_t bytes = i % 10 == 0 ? 400'000 : 1 + i * 37;
    const Stripes stripes(geometry, bytes, 1 + i % 3, static_cast<uint32_t>(i));
    v1::ProcessRequest request;
    request.set_id(i * 1'000'000'007);
    switch (i % 3) {
      case 0:
        *request.mutable_encode() = For<v1::EncodeRequest>(stripes, stripes.Data(), i % 2 == 0);
        wanted[request.id()] = stripes.Parity();
        break;
      case 1: {
        auto* reconstruct = request.mutable_reconstruct();
        *reconstruct = For<v1::ReconstructRequest>(stripes, stripes.Pick({1, 2, 3, 5}));
        for (const uint32_t index : {1, 2, 3, 5}) reconstruct->add_present(index);
        wanted[request.id()] = stripes.Pick({0, 4});
        break;
      }
      case 2:
        *request.mutable_verify() = For<v1::VerifyRequest>(stripes, stripes.All());
        break;
    }
    requests.push_back(std::move(request));
  }
  grpc::Status outcome;
  const auto answers = Exchange(requests, &outcome);
  EXPECT_TRUE(outcome.ok()) << outcome.error_message();
  ASSERT_EQ(answers.size(), requests.size());
  for (const auto& request : requests) {
    const v1::ProcessResponse& answer = answers.at(request.id());
    switch (request.request_case()) {
      case v1::ProcessRequest::kEncode:
        EXPECT_EQ(ShardsIn(answer.encode()), wanted[request.id()]);
        break;
      case v1::ProcessRequest::kReconstruct:
        EXPECT_EQ(ShardsIn(answer.reconstruct()), wanted[request.id()]);
        break;
      default:
        ASSERT_TRUE(answer.has_verify());
        EXPECT_TRUE(answer.verify().mismatches().empty());
    }
  }
}

TEST_F(Process, AnErrorIsTheAnswerOfItsRequestAlone) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 2, 1), 100, 1, 1);
  std::vector<v1::ProcessRequest> requests(4);
  requests[0].set_id(1);
  *requests[0].mutable_encode() = For<v1::EncodeRequest>(stripes, {stripes.shards[0][0]});
  requests[1].set_id(2);
  requests[2].set_id(3);
  *requests[2].mutable_encode() = For<v1::EncodeRequest>(stripes, stripes.Data());
  requests[3].set_id(4);
  requests[3].mutable_reconstruct()->mutable_geometry()->set_code(v1::CODE_XOR);
  grpc::Status outcome;
  const auto answers = Exchange(requests, &outcome);
  EXPECT_TRUE(outcome.ok()) << outcome.error_message();
  ASSERT_EQ(answers.size(), 4u);
  const auto as_status = [&](uint64_t id) {
    const auto& error = answers.at(id).error();
    return grpc::Status(static_cast<grpc::StatusCode>(error.code()), error.message(),
                        error.SerializeAsString());
  };
  EXPECT_EQ(FieldIn(as_status(1)), "packed_shards");
  EXPECT_EQ(as_status(1).error_message(), "packed_shards: got 1 shards, want 2");
  EXPECT_EQ(FieldIn(as_status(2)), "request");
  EXPECT_EQ(ShardsIn(answers.at(3).encode()), stripes.Parity());
  EXPECT_EQ(FieldIn(as_status(4)), "shards");
}

TEST_F(Process, SmallRequestsOvertakeLargeOnes) {
  const Stripes large(*Geometry::Make(Code::kReedSolomon, 4, 2), 8 << 20, 1, 1);
  const Stripes small(*Geometry::Make(Code::kReedSolomon, 4, 2), 4096, 1, 2);
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = stub_->Process(&context);
  v1::ProcessRequest request;
  request.set_id(1);
  *request.mutable_encode() = For<v1::EncodeRequest>(large, large.Data());
  ASSERT_TRUE(stream->Write(request));
  request.set_id(2);
  *request.mutable_encode() = For<v1::EncodeRequest>(small, small.Data());
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->WritesDone());
  // Whichever is first: both are right, and the small one need not wait.
  std::map<uint64_t, v1::ProcessResponse> answers;
  v1::ProcessResponse response;
  while (stream->Read(&response)) answers[response.id()] = response;
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(ShardsIn(answers[1].encode()), large.Parity());
  EXPECT_EQ(ShardsIn(answers[2].encode()), small.Parity());
}

TEST_F(Process, AnEmptyStreamEndsWell) {
  grpc::Status outcome;
  EXPECT_TRUE(Exchange({}, &outcome).empty());
  EXPECT_TRUE(outcome.ok()) << outcome.error_message();
}

// A message as it is, however malformed.
TEST_F(Process, AMessageThatCannotBeReadEndsTheStreamAfterItsAnswers) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 2, 1), 100, 1, 1);
  v1::ProcessRequest good;
  good.set_id(7);
  *good.mutable_encode() = For<v1::EncodeRequest>(stripes, stripes.Data());
  for (const std::string& bad :
       {std::string("\x08"), std::string("\x12\x7f\x01", 3), std::string("\x12\x00\x12\x00", 4)}) {
    grpc::ClientContext context;
    grpc::GenericStub generic(server_.Connect());
    grpc::CompletionQueue queue;
    void* tag;
    bool ok;
    const auto call = generic.PrepareCall(&context, "/parity.v1.ParityService/Process", &queue);
    const auto wait = [&] { ASSERT_TRUE(queue.Next(&tag, &ok)); };
    call->StartCall(nullptr);
    wait();
    for (const std::string& message : {good.SerializeAsString(), bad}) {
      const grpc::Slice slice(message);
      call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      wait();
    }
    grpc::ByteBuffer answer;
    call->Read(&answer, nullptr);
    wait();
    EXPECT_TRUE(ok);
    v1::ProcessResponse response;
    ASSERT_TRUE(
        grpc::SerializationTraits<v1::ProcessResponse>::Deserialize(&answer, &response).ok());
    EXPECT_EQ(response.id(), 7u);
    grpc::Status status;
    call->Finish(&status, nullptr);
    wait();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    queue.Shutdown();
    while (queue.Next(&tag, &ok)) {
    }
  }
}

TEST_F(Process, TheServerStopsReadingAtItsLimitAndGoesOn) {
  rpc::Limits limits;
  limits.max_requests_per_stream = 2;
  RunningServer server(limits);
  const auto stub = v1::ParityService::NewStub(server.Connect());
  const Stripes stripes(*Geometry::Make(Code::kXor, 2, 1), 50'000, 1, 1);
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = stub->Process(&context);
  constexpr uint64_t kRequests = 300;
  std::thread writer([&] {
    v1::ProcessRequest request;
    *request.mutable_encode() = For<v1::EncodeRequest>(stripes, stripes.Data());
    for (uint64_t id = 0; id < kRequests; ++id) {
      request.set_id(id);
      EXPECT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
  });
  uint64_t answered = 0;
  v1::ProcessResponse response;
  while (stream->Read(&response)) {
    EXPECT_EQ(ShardsIn(response.encode()), stripes.Parity());
    ++answered;
  }
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(answered, kRequests);
}

TEST_F(Process, StoppingTheServerAnswersWhatItHasReadAndEndsTheStream) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 2, 1), 1000, 1, 1);
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = stub_->Process(&context);
  v1::ProcessRequest request;
  *request.mutable_encode() = For<v1::EncodeRequest>(stripes, stripes.Data());
  ASSERT_TRUE(stream->Write(request));
  v1::ProcessResponse response;
  ASSERT_TRUE(stream->Read(&response));  // the server has the stream
  server_.Stop(absl::InfiniteDuration());
  while (stream->Read(&response)) {
  }
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << status.error_message();
  EXPECT_EQ(status.error_message(), "the server is stopping");
}

TEST_F(Process, ACancelledStreamLeavesNothingBehind) {
  const Stripes stripes(*Geometry::Make(Code::kXor, 2, 1), 100'000, 1, 1);
  for (int round = 0; round < 20; ++round) {
    grpc::ClientContext context;
    const std::unique_ptr<Stream> stream = stub_->Process(&context);
    v1::ProcessRequest request;
    *request.mutable_encode() = For<v1::EncodeRequest>(stripes, stripes.Data());
    for (int i = 0; i < 10; ++i) {
      if (!stream->Write(request)) break;
    }
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  AwaitNothingHeld(*stub_);
}

}  // namespace
}  // namespace parity::testing
