#include "socket_load.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "connect.h"
#include "parity_checker.h"
#include "socket_protocol.h"

namespace parity::bench {
namespace {

using Clock = std::chrono::steady_clock;

// A write takes no more pieces, two for each request.
constexpr int kMaxGather = 512;

absl::Status Lost(absl::string_view what) {
  return absl::UnavailableError(absl::StrCat("bare socket: ", what));
}

class SocketLoad final : public Load {
 public:
  SocketLoad(int descriptor, const Workload& workload, const SocketLoadOptions& options)
      : descriptor_(descriptor),
        depth_(static_cast<uint32_t>(options.depth)),
        request_bytes_(sizeof(SocketHeader) + workload.job.source_bytes()),
        reply_bytes_(sizeof(SocketHeader) + workload.job.parity_bytes()),
        cursor_(workload.sources, workload.job.source_bytes(), options.part, options.parts),
        checker_(workload.job, *workload.table),
        requests_(depth_),
        pieces_(2 * static_cast<size_t>(std::min(options.gather, kMaxGather))),
        input_(MessagesInBuffer(reply_bytes_) * reply_bytes_) {
    const codec::Geometry& geometry = workload.job.geometry;
    greeting_ = {static_cast<uint32_t>(geometry.code()),
                 geometry.data_shards(),
                 geometry.parity_shards(),
                 static_cast<uint32_t>(workload.job.stripes),
                 workload.job.shard_bytes,
                 static_cast<uint64_t>(options.gather)};
  }
  ~SocketLoad() override { close(descriptor_); }

  absl::Status Run(const LoadControl& control, Meter& meter) override {
    if (send(descriptor_, &greeting_, sizeof greeting_, MSG_NOSIGNAL) != sizeof greeting_) {
      return Lost("the greeting was not taken");
    }
    while (true) {
      const bool stopping = control.stopping.load(std::memory_order_relaxed);
      while (!stopping && issued_ - answered_ < depth_) Issue();
      if (issued_ == answered_) return absl::OkStatus();
      bool taken = true;
      while (sent_ < issued_ && taken) {
        if (absl::Status status = SendSome(taken); !status.ok()) return status;
      }
      const bool all_sent = sent_ == issued_;
      bool received = false;
      absl::Status status = ReceiveSome(all_sent, control, meter, received);
      if (!status.ok()) return status;
      if (!all_sent && !received) {
        pollfd waiting = {descriptor_, POLLIN | POLLOUT, 0};
        poll(&waiting, 1, -1);
      }
    }
  }

 private:
  struct Request {
    SocketHeader header;
    const uint8_t* sources;
    Clock::time_point start;
  };

  Request& RequestOf(uint32_t id) { return requests_[id % depth_]; }

  void Issue() {
    Request& request = RequestOf(issued_);
    request.header = {static_cast<uint32_t>(request_bytes_ - sizeof(SocketHeader)), issued_};
    request.sources = cursor_.Next();
    request.start = Clock::now();
    ++issued_;
  }

  // Makes one write. `taken` is false if the socket takes no more for now.
  absl::Status SendSome(bool& taken) {
    size_t count = 0;
    const uint32_t end = std::min(issued_, sent_ + static_cast<uint32_t>(pieces_.size() / 2));
    size_t skip = sent_bytes_;  // of the first request
    for (uint32_t id = sent_; id != end; ++id) {
      Request& request = RequestOf(id);
      if (skip < sizeof request.header) {
        pieces_[count++] = {reinterpret_cast<uint8_t*>(&request.header) + skip,
                            sizeof request.header - skip};
        skip = sizeof request.header;
      }
      const size_t at = skip - sizeof request.header;
      pieces_[count++] = {const_cast<uint8_t*>(request.sources) + at, request.header.bytes - at};
      skip = 0;
    }
    msghdr message{};
    message.msg_iov = pieces_.data();
    message.msg_iovlen = count;
    const ssize_t sent = sendmsg(descriptor_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    taken = sent >= 0;
    if (!taken) return errno == EAGAIN ? absl::OkStatus() : Lost(std::strerror(errno));
    sent_bytes_ += static_cast<size_t>(sent);
    sent_ += static_cast<uint32_t>(sent_bytes_ / request_bytes_);
    sent_bytes_ %= request_bytes_;
    return absl::OkStatus();
  }

  // Takes what has arrived; waits for something if `wait`.
  absl::Status ReceiveSome(bool wait, const LoadControl& control, Meter& meter, bool& received) {
    const ssize_t got = recv(descriptor_, input_.data() + filled_, input_.size() - filled_,
                             wait ? 0 : MSG_DONTWAIT);
    if (got < 0) {
      const bool later = errno == EAGAIN || errno == EINTR;
      return later ? absl::OkStatus() : Lost(std::strerror(errno));
    }
    if (got == 0) return Lost("the server ended the connection");
    received = true;
    filled_ += static_cast<size_t>(got);
    size_t used = 0;
    for (; filled_ - used >= reply_bytes_; used += reply_bytes_) {
      absl::Status status = Answered(input_.data() + used, control, meter);
      if (!status.ok()) return status;
    }
    filled_ -= used;
    std::memmove(input_.data(), input_.data() + used, filled_);
    return absl::OkStatus();
  }

  absl::Status Answered(const uint8_t* reply, const LoadControl& control, Meter& meter) {
    SocketHeader header;
    std::memcpy(&header, reply, sizeof header);
    if (header.id != answered_) return absl::DataLossError("bare socket: replies out of order");
    const Request& request = RequestOf(answered_++);
    const codec::Segment parity = {reply + sizeof header, header.bytes};
    absl::Status status = checker_.Check(codec::Shard(&parity, 1), request.sources);
    if (!status.ok()) return status;
    meter.answers.fetch_add(1, std::memory_order_relaxed);
    if (control.recording.load(std::memory_order_relaxed)) {
      meter.latencies.Record(static_cast<uint64_t>((Clock::now() - request.start).count()));
    }
    return absl::OkStatus();
  }

  const int descriptor_;
  const uint32_t depth_;
  const size_t request_bytes_;  // with the header
  const size_t reply_bytes_;
  SocketGreeting greeting_;
  SourceCursor cursor_;
  ParityChecker checker_;
  std::vector<Request> requests_;  // by id, modulo depth_
  std::vector<iovec> pieces_;      // of a write
  uint32_t issued_ = 0;            // the ids below have been issued, and so on
  uint32_t sent_ = 0;
  uint32_t answered_ = 0;
  size_t sent_bytes_ = 0;  // of request sent_
  std::vector<uint8_t> input_;
  size_t filled_ = 0;  // of input_
};

}  // namespace

absl::StatusOr<std::unique_ptr<Load>> OpenSocketLoad(const endpoint::Endpoint& server,
                                                     const Workload& workload,
                                                     const SocketLoadOptions& options) {
  const absl::StatusOr<int> descriptor = Connect(server);
  if (!descriptor.ok()) return descriptor.status();
  return std::make_unique<SocketLoad>(*descriptor, workload, options);
}

}  // namespace parity::bench
