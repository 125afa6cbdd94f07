#include "naive_client.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "grpcpp/grpcpp.h"
#include "measurement.h"
#include "parity/v1/parity.grpc.pb.h"
#include "parity/wire/stripe_message.h"
#include "parity_checker.h"

namespace parity::bench {
namespace {

// What all connections share.
struct Run {
  std::atomic<bool> stopping{false};
  std::atomic<uint64_t> answers{0};
};

void Fill(v1::EncodeRequest& request, const Job& job, const uint8_t* sources) {
  *request.mutable_geometry() = wire::ToProto(job.geometry);
  request.set_shard_bytes(job.shard_bytes);
  if (job.stripes > 1) request.set_stripes(static_cast<uint32_t>(job.stripes));
  for (size_t at = 0; at < job.source_bytes(); at += job.shard_bytes) {
    request.add_shards(sources + at, job.shard_bytes);
  }
}

// A connection, and what checks its answers. Thread-safe.
class Client {
 public:
  Client(const endpoint::Endpoint& server, const Workload& workload, size_t part, size_t parts)
      : job_(workload.job),
        cursor_(workload.sources, workload.job.source_bytes(), part, parts),
        checker_(workload.job, *workload.table) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // else channels share a connection
    stub_ = v1::ParityService::NewStub(grpc::CreateCustomChannel(
        server.ToString(), grpc::InsecureChannelCredentials(), arguments));
  }
  virtual ~Client() = default;

  virtual void Start(int depth) = 0;
  // After Run::stopping was set, the last answer is there. The first error.
  absl::Status Await() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &Client::is_idle));
    return status_;
  }

 protected:
  const uint8_t* NextSources() {
    absl::MutexLock lock(&mutex_);
    return cursor_.Next();
  }
  void Check(const v1::EncodeResponse& response, const uint8_t* sources) {
    std::vector<codec::Segment> parity;
    for (const std::string& shard : response.shards()) {
      parity.push_back({reinterpret_cast<const uint8_t*>(shard.data()), shard.size()});
    }
    absl::MutexLock lock(&mutex_);
    status_.Update(checker_.Check(parity, sources));
  }
  void Opened() {
    absl::MutexLock lock(&mutex_);
    ++open_;
  }
  void Closed(const grpc::Status& status) {
    absl::MutexLock lock(&mutex_);
    status_.Update(absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                                absl::StrCat("naive: ", status.error_message())));
    --open_;
  }

  const Job job_;
  std::unique_ptr<v1::ParityService::Stub> stub_;

 private:
  bool is_idle() const { return open_ == 0; }

  absl::Mutex mutex_;  // of the rest
  SourceCursor cursor_;
  ParityChecker checker_;
  int open_ = 0;  // calls
  absl::Status status_;
};

class UnaryClient final : public Client {
 public:
  UnaryClient(const endpoint::Endpoint& server, const Workload& workload, size_t part, size_t parts,
              Run& run)
      : Client(server, workload, part, parts), run_(run) {}

  void Start(int depth) override {
    for (int i = 0; i < depth; ++i) {
      Opened();
      Begin();
    }
  }

 private:
  struct Call {
    grpc::ClientContext context;
    v1::EncodeRequest request;
    v1::EncodeResponse response;
  };

  void Begin() {
    const auto call = std::make_shared<Call>();
    const uint8_t* sources = NextSources();
    Fill(call->request, job_, sources);
    stub_->async()->Encode(&call->context, &call->request, &call->response,
                           [this, call, sources](const grpc::Status& status) {
                             if (status.ok()) {
                               Check(call->response, sources);
                               ++run_.answers;
                             }
                             if (status.ok() && !run_.stopping) {
                               Begin();
                             } else {
                               Closed(status);
                             }
                           });
  }

  Run& run_;
};

class StreamClient final : public Client,
                           public grpc::ClientBidiReactor<v1::ProcessRequest, v1::ProcessResponse> {
 public:
  StreamClient(const endpoint::Endpoint& server, const Workload& workload, size_t part,
               size_t parts, Run& run)
      : Client(server, workload, part, parts), run_(run) {}

  void Start(int depth) override {
    sources_.resize(static_cast<size_t>(depth));
    Opened();
    stub_->async()->Process(&context_, this);
    StartRead(&response_);
    absl::MutexLock lock(&mutex_);
    Write();
    StartCall();
  }

  void OnWriteDone(bool ok) override {
    absl::MutexLock lock(&mutex_);
    writing_ = false;
    if (ok) Write();
  }
  // The answers come in the order of the requests.
  void OnReadDone(bool ok) override {
    if (!ok) return;
    absl::MutexLock lock(&mutex_);
    Check(response_.encode(), sources_[response_.id() % sources_.size()]);
    ++run_.answers;
    ++answered_;
    StartRead(&response_);
    if (!writing_) Write();
  }
  void OnDone(const grpc::Status& status) override { Closed(status); }

 private:
  void Write() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (run_.stopping) {
      if (!std::exchange(ended_, true)) StartWritesDone();
      return;
    }
    if (sent_ - answered_ == sources_.size()) return;
    const uint8_t*& sources = sources_[sent_ % sources_.size()];
    sources = NextSources();
    request_.Clear();
    request_.set_id(sent_++);
    Fill(*request_.mutable_encode(), job_, sources);
    writing_ = true;
    StartWrite(&request_);
  }

  Run& run_;
  grpc::ClientContext context_;
  absl::Mutex mutex_;  // of the rest
  v1::ProcessRequest request_;
  v1::ProcessResponse response_;
  std::vector<const uint8_t*> sources_;  // by id, modulo their number
  uint64_t sent_ = 0;
  uint64_t answered_ = 0;
  bool writing_ = false;
  bool ended_ = false;
};

std::unique_ptr<Client> MakeClient(Mode mode, const endpoint::Endpoint& server,
                                   const Workload& workload, size_t part, size_t parts, Run& run) {
  if (mode == Mode::kUnary) {
    return std::make_unique<UnaryClient>(server, workload, part, parts, run);
  }
  return std::make_unique<StreamClient>(server, workload, part, parts, run);
}

}  // namespace

absl::StatusOr<double> RunNaiveClient(const endpoint::Endpoint& server, Mode mode,
                                      const Workload& workload, int connections, int depth,
                                      absl::Duration duration) {
  Run run;
  std::vector<std::unique_ptr<Client>> clients;
  const auto parts = static_cast<size_t>(connections);
  for (size_t part = 0; part < parts; ++part) {
    clients.push_back(MakeClient(mode, server, workload, part, parts, run));
  }
  for (const auto& client : clients) client->Start(depth);
  absl::SleepFor(WarmUp(duration));
  const uint64_t before = run.answers;
  const absl::Time begin = absl::Now();
  absl::SleepFor(duration);
  const auto answers = static_cast<double>(run.answers - before);
  const double requests_per_s = answers / absl::ToDoubleSeconds(absl::Now() - begin);
  run.stopping = true;
  absl::Status status;
  for (const auto& client : clients) status.Update(client->Await());
  if (!status.ok()) return status;
  return requests_per_s;
}

}  // namespace parity::bench
