#include "parity/metrics/server.h"

#include <civetweb.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "page.h"
#include "parity/codec/field_error.h"
#include "parity/metrics/exposition.h"
#include "parity/metrics/process_facts.h"
#include "spdlog/spdlog.h"

namespace parity::metrics {
namespace {

struct Response {
  const char* status = "200 OK";
  const char* type = "text/plain; charset=utf-8";
  std::string body;
  std::string headers;  // further ones
};

// So that only the page's own script runs.
std::string Nonce() {
  std::random_device random;
  return absl::StrCat(absl::Hex(random(), absl::kZeroPad8), absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8), absl::Hex(random(), absl::kZeroPad8));
}

Response Page() {
  const std::string nonce = Nonce();
  Response response;
  response.type = "text/html; charset=utf-8";
  response.body = absl::StrReplaceAll(kPage, {{"NONCE", nonce}});
  response.headers =
      absl::StrCat("Content-Security-Policy: default-src 'none'; style-src 'nonce-", nonce,
                   "'; script-src 'nonce-", nonce,
                   "'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
                   "frame-ancestors 'none'\r\n");
  return response;
}

Response Ready(const stats::Snapshot& snapshot) {
  if (snapshot.serving) return {"200 OK", "text/plain; charset=utf-8", "serving\n", ""};
  return {"503 Service Unavailable", "text/plain; charset=utf-8", "stopping\n", ""};
}

Response Answer(std::string_view method, std::string_view path,
                const std::function<stats::Snapshot()>& snapshot) {
  constexpr char kText[] = "text/plain; charset=utf-8";
  if (method != "GET" && method != "HEAD") {
    return {"405 Method Not Allowed", kText, "want GET or HEAD\n", "Allow: GET, HEAD\r\n"};
  }
  if (path == "/metrics") {
    return {"200 OK", "text/plain; version=0.0.4; charset=utf-8",
            Exposition(snapshot(), ReadProcessFacts()), ""};
  }
  if (path == "/healthz") return {"200 OK", kText, "alive\n", ""};
  if (path == "/readyz") return Ready(snapshot());
  if (path == "/status.json") {
    return {"200 OK", "application/json", StatusJson(snapshot(), ReadProcessFacts()), ""};
  }
  if (path == "/") return Page();
  return {"404 Not Found", kText, "want /, /metrics, /healthz, /readyz or /status.json\n", ""};
}

// 1: answered.
int Serve(mg_connection* connection) {
  const mg_request_info& request = *mg_get_request_info(connection);
  const auto& snapshot = *static_cast<std::function<stats::Snapshot()>*>(request.user_data);
  const std::string_view method = request.request_method;
  const std::string_view path = request.local_uri == nullptr ? "" : request.local_uri;
  const Response response = Answer(method, path, snapshot);
  const std::string head = absl::StrCat(
      "HTTP/1.1 ", response.status, "\r\nContent-Type: ", response.type,
      "\r\nContent-Length: ", response.body.size(),
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n",
      response.headers, "\r\n");
  mg_write(connection, head.data(), head.size());
  if (method != "HEAD") mg_write(connection, response.body.data(), response.body.size());
  return 1;
}

// What peers send can make it say something: no louder than debug.
int Log(const mg_connection*, const char* message) {
  spdlog::debug("metrics: {}", message);
  return 1;
}

class ServerOnCivetweb final : public Server {
 public:
  ServerOnCivetweb(endpoint::Endpoint address, std::function<stats::Snapshot()> snapshot)
      : address_(std::move(address)), snapshot_(std::move(snapshot)) {}

  ~ServerOnCivetweb() override {
    if (context_ != nullptr) mg_stop(context_);
    mg_exit_library();
  }

  absl::Status Start() {
    mg_init_library(0);
    const std::string port = address_.ToString();
    const std::array<const char*, 13> options = {"listening_ports",
                                                 port.c_str(),
                                                 "num_threads",
                                                 "8",
                                                 "connection_queue",
                                                 "20",
                                                 "request_timeout_ms",
                                                 "5000",
                                                 "enable_keep_alive",
                                                 "no",
                                                 "max_request_size",
                                                 "8192",
                                                 nullptr};
    mg_callbacks callbacks{};
    callbacks.begin_request = Serve;
    callbacks.log_message = Log;
    mg_init_data init{};
    init.callbacks = &callbacks;
    init.user_data = &snapshot_;
    init.configuration_options = const_cast<const char**>(options.data());
    std::array<char, 256> text{};
    unsigned code = 0;
    mg_error_data error{};
    error.code = &code;
    error.text = text.data();
    error.text_buffer_size = text.size();
    context_ = mg_start2(&init, &error);
    if (context_ == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("metrics: ", port, ": ", text.data()));
    }
    mg_server_port taken{};
    if (mg_get_server_ports(context_, 1, &taken) == 1) {
      address_.port = static_cast<uint16_t>(taken.port);
    }
    return absl::OkStatus();
  }

  const endpoint::Endpoint& address() const override { return address_; }

 private:
  endpoint::Endpoint address_;
  std::function<stats::Snapshot()> snapshot_;
  mg_context* context_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const endpoint::Endpoint& address,
                                                      std::function<stats::Snapshot()> snapshot) {
  // Debian's civetweb is built without IPv6.
  if (address.is_unix() || address.host.find(':') != std::string::npos) {
    return codec::InvalidField("metrics", address.ToString(), "HOST:PORT with an IPv4 address");
  }
  auto server = std::make_unique<ServerOnCivetweb>(address, std::move(snapshot));
  if (absl::Status status = server->Start(); !status.ok()) return status;
  return server;
}

}  // namespace parity::metrics
