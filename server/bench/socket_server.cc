#include "socket_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "connect.h"
#include "parity/endpoint/socket.h"
#include "parity/engine/pinning.h"
#include "parity/engine/worker_plan.h"
#include "socket_protocol.h"
#include "stripe_encoder.h"

namespace parity::bench {
namespace {

// Shards that follow the first header are on this boundary.
constexpr size_t kAlignment = 64;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<uint8_t, Free>;

Memory AllocateAligned(size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, 4096, bytes) != 0) return nullptr;
  return Memory(static_cast<uint8_t*>(memory));
}

bool SendAll(int descriptor, const uint8_t* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(descriptor, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

// One connection, until the client ends it.
void Serve(int descriptor, const kernels::KernelTable& table) {
  SocketGreeting greeting;
  if (recv(descriptor, &greeting, sizeof greeting, MSG_WAITALL) != sizeof greeting) return;
  const absl::StatusOr<codec::Geometry> geometry = codec::Geometry::Make(
      static_cast<codec::Code>(greeting.code), greeting.data_shards, greeting.parity_shards);
  if (!geometry.ok()) return;
  StripeEncoder encoder({*geometry, greeting.shard_bytes, greeting.stripes}, table);
  const size_t parity_bytes = encoder.job().parity_bytes();
  const size_t request_bytes = sizeof(SocketHeader) + encoder.job().source_bytes();
  const size_t reply_bytes = sizeof(SocketHeader) + parity_bytes;
  const size_t messages = MessagesInBuffer(request_bytes);
  const size_t lead = kAlignment - sizeof(SocketHeader);
  const Memory input = AllocateAligned(lead + messages * request_bytes);
  const Memory output = AllocateAligned(lead + messages * reply_bytes);
  if (input == nullptr || output == nullptr) return;
  uint8_t* const requests = input.get() + lead;
  uint8_t* const replies = output.get() + lead;

  size_t filled = 0;  // of the input
  size_t ready = 0;   // replies that wait to be written
  while (true) {
    const ssize_t got = recv(descriptor, requests + filled, messages * request_bytes - filled, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    filled += static_cast<size_t>(got);
    const size_t complete = filled / request_bytes;
    if (complete == 0) continue;
    for (size_t i = 0; i < complete; ++i) {
      SocketHeader header;
      std::memcpy(&header, requests + i * request_bytes, sizeof header);
      if (header.bytes != request_bytes - sizeof header) return;
      uint8_t* const reply = replies + ready * reply_bytes;
      encoder.EncodePacked(requests + i * request_bytes + sizeof header, reply + sizeof header);
      header.bytes = static_cast<uint32_t>(parity_bytes);
      std::memcpy(reply, &header, sizeof header);
      if (++ready < greeting.gather && i + 1 < complete) continue;
      if (!SendAll(descriptor, replies, ready * reply_bytes)) return;
      ready = 0;
    }
    filled -= complete * request_bytes;
    std::memmove(requests, requests + complete * request_bytes, filled);
  }
}

}  // namespace

absl::Status RunSocketServer(std::vector<endpoint::Endpoint> endpoints,
                             const kernels::KernelTable& table) {
  std::vector<pollfd> listeners;
  for (endpoint::Endpoint& endpoint : endpoints) {
    const absl::StatusOr<int> listener = Listen(endpoint);
    if (!listener.ok()) return listener.status();
    listeners.push_back({*listener, POLLIN, 0});
    absl::FPrintF(stderr, "listening on %s\n", endpoint.ToString());
  }
  // On the cores that parityd's workers would have: left to the scheduler, server and client now
  // and then share one, and the pair gets a tenth of its rate.
  const absl::StatusOr<engine::WorkerPlan> plan = engine::PlanWorkers(std::nullopt);
  if (!plan.ok()) return plan.status();
  size_t connections = 0;
  absl::FPrintF(stderr, "ready\n");
  while (true) {
    poll(listeners.data(), listeners.size(), -1);
    for (size_t i = 0; i < listeners.size(); ++i) {
      if ((listeners[i].revents & POLLIN) == 0) continue;
      const int descriptor = accept4(listeners[i].fd, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor < 0) continue;
      endpoint::TuneSocket(descriptor, endpoints[i].is_unix());
      const uint32_t cpu = plan->workers[connections++ % plan->workers.size()].cpu;
      std::thread([descriptor, cpu, &table] {
        engine::PinThread(cpu).IgnoreError();
        Serve(descriptor, table);
        close(descriptor);
      }).detach();
    }
  }
}

}  // namespace parity::bench
