#include "parity/endpoint/lookup.h"

#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace parity::endpoint {
namespace {

constexpr absl::Duration kStep = absl::Milliseconds(50);

// One lookup of libc's, which refers to all of it while it runs.
struct Lookup {
  Lookup(const std::string& of_host, uint16_t of_port, int flags)
      : host(of_host), port(std::to_string(of_port)) {
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV | flags;
    request.ar_name = host.c_str();
    request.ar_service = port.c_str();
    request.ar_request = &hints;
  }
  ~Lookup() {
    if (request.ar_result != nullptr) freeaddrinfo(request.ar_result);
  }
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  bool is_running() { return gai_error(&request) == EAI_INPROGRESS; }

  const std::string host;
  const std::string port;
  addrinfo hints{};
  gaicb request{};
};

// Keeps what libc still refers to until it does no more.
void Abandon(std::unique_ptr<Lookup> lookup) {
  static auto& mutex = *new std::mutex;
  static auto& abandoned = *new std::vector<std::unique_ptr<Lookup>>;
  const std::lock_guard<std::mutex> lock(mutex);
  abandoned.erase(std::remove_if(abandoned.begin(), abandoned.end(),
                                 [](const auto& other) { return !other->is_running(); }),
                  abandoned.end());
  abandoned.push_back(std::move(lookup));
}

absl::Status Failure(int error) {
  return absl::UnavailableError(error == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(error));
}

std::vector<SocketAddress> AddressesIn(const addrinfo* found) {
  std::vector<SocketAddress> addresses;
  for (; found != nullptr; found = found->ai_next) {
    SocketAddress address{};
    address.bytes = std::min<socklen_t>(found->ai_addrlen, sizeof address.storage);
    std::memcpy(&address.storage, found->ai_addr, address.bytes);
    addresses.push_back(address);
  }
  return addresses;
}

}  // namespace

absl::StatusOr<std::vector<SocketAddress>> LookUp(const std::string& host, uint16_t port,
                                                  absl::Time deadline,
                                                  absl::FunctionRef<bool()> gives_up) {
  Lookup literal(host, port, AI_NUMERICHOST);
  if (getaddrinfo(literal.request.ar_name, literal.request.ar_service, &literal.hints,
                  &literal.request.ar_result) == 0) {
    return AddressesIn(literal.request.ar_result);
  }
  auto lookup = std::make_unique<Lookup>(host, port, AI_ADDRCONFIG);
  gaicb* requests[] = {&lookup->request};
  if (const int error = getaddrinfo_a(GAI_NOWAIT, requests, 1, nullptr); error != 0) {
    return Failure(error);
  }
  while (lookup->is_running() && absl::Now() < deadline && !gives_up()) {
    const timespec step =
        absl::ToTimespec(std::clamp(deadline - absl::Now(), absl::ZeroDuration(), kStep));
    gai_suspend(requests, 1, &step);
  }
  if (lookup->is_running()) {
    if (gai_cancel(&lookup->request) != EAI_CANCELED) Abandon(std::move(lookup));
    return absl::DeadlineExceededError("the resolver does not answer");
  }
  if (const int error = gai_error(&lookup->request); error != 0) return Failure(error);
  std::vector<SocketAddress> addresses = AddressesIn(lookup->request.ar_result);
  if (addresses.empty()) return absl::UnavailableError("the name has no addresses");
  return addresses;
}

}  // namespace parity::endpoint
