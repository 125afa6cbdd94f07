// The HTTP of the metrics server, as browsers, Prometheus, probes and strangers use it.
#include "parity/metrics/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Connection {
 public:
  explicit Connection(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    const timeval patience{30, 0};
    (void)setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Connection() { close(fd_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected() const { return connected_; }
  void Send(const std::string& text) const {
    (void)send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
  }
  // All until the server closes.
  std::string Rest() const {
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = recv(fd_, buffer, sizeof buffer, 0)) > 0;) {
      text.append(buffer, static_cast<size_t>(got));
    }
    return text;
  }

 private:
  const int fd_;
  bool connected_ = false;
};

class MetricsServerTest : public ::testing::Test {
 protected:
  MetricsServerTest() {
    auto server = Server::Start({"", "127.0.0.1", 0}, [this] {
      stats::Snapshot snapshot;
      snapshot.serving = serving_;
      snapshot.draining = !serving_;
      return snapshot;
    });
    if (!server.ok()) throw std::runtime_error(server.status().ToString());
    server_ = *std::move(server);
  }

  std::string Ask(const std::string& request) const {
    const Connection connection(server_->address().port);
    connection.Send(request);
    return connection.Rest();
  }
  std::string Get(const std::string& path) const {
    return Ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }

  std::atomic<bool> serving_{true};
  std::unique_ptr<Server> server_;
};

TEST_F(MetricsServerTest, AnswersEachPath) {
  EXPECT_NE(server_->address().port, 0);
  EXPECT_THAT(Get("/metrics"),
              StartsWith("HTTP/1.1 200 OK\r\n"
                         "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
  EXPECT_THAT(Get("/metrics?name=x"), HasSubstr("\nparityd_serving 1\n"));
  EXPECT_THAT(Get("/healthz"), HasSubstr("\r\n\r\nalive\n"));
  EXPECT_THAT(Get("/status.json"), HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(Get("/"), HasSubstr("<!doctype html>"));
  EXPECT_THAT(Get("/nowhere"), StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(Get("/../etc/passwd"), StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(Get("/metrics/"), StartsWith("HTTP/1.1 404 Not Found\r\n"));
}

TEST_F(MetricsServerTest, IsReadyWhileItServes) {
  EXPECT_THAT(Get("/readyz"), StartsWith("HTTP/1.1 200 OK\r\n"));
  serving_ = false;
  EXPECT_THAT(Get("/readyz"), StartsWith("HTTP/1.1 503 Service Unavailable\r\n"));
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(MetricsServerTest, TakesGetAndHeadAlone) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    EXPECT_THAT(
        Ask(std::string(method) + " /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"),
        StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"))
        << method;
  }
  const std::string head = Ask("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(head.substr(head.size() - 4), "\r\n\r\n");
}

TEST_F(MetricsServerTest, ThePageMayRunItsOwnScriptAlone) {
  const std::string one = Get("/");
  const std::string other = Get("/");
  EXPECT_THAT(one, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_THAT(one, Not(HasSubstr("NONCE")));
  const size_t at = one.find("script-src 'nonce-");
  ASSERT_NE(at, std::string::npos);
  const std::string nonce = one.substr(at + 18, 32);
  EXPECT_THAT(one, HasSubstr("<script nonce=\"" + nonce + "\">"));
  EXPECT_THAT(other, Not(HasSubstr(nonce)));
}

TEST_F(MetricsServerTest, OutlivesWhatMakesNoSense) {
  for (const std::string& request :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string("\x16\x03\x01\x02\x00", 5),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), std::string(100'000, 'x'),
        "GET / HTTP/1.1\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n",
        "GET /" + std::string(100'000, 'x') + " HTTP/1.1\r\n\r\n"}) {
    EXPECT_THAT(Ask(request), Not(StartsWith("HTTP/1.1 200")));
  }
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(MetricsServerTest, AnswersManyAtATime) {
  std::atomic<int> good{0};
  std::vector<std::thread> clients;
  clients.reserve(16);
  for (int i = 0; i < 16; ++i) {
    clients.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        if (Get("/metrics").rfind("HTTP/1.1 200 OK", 0) == 0) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 320);
}

// As many as there are threads, and one: it is answered when the first of them is sent away.
TEST_F(MetricsServerTest, SlowClientsAreSentAway) {
  std::vector<std::unique_ptr<Connection>> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(std::make_unique<Connection>(server_->address().port));
    slow.back()->Send("GET /metr");
  }
  EXPECT_THAT(Get("/healthz"), StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(MetricsServerTest, EndsWhileAClientHangs) {
  const Connection silent(server_->address().port);
  const Connection slow(server_->address().port);
  slow.Send("GET /metr");
  ASSERT_TRUE(silent.connected());
  const uint16_t port = server_->address().port;
  server_ = nullptr;
  EXPECT_FALSE(Connection(port).connected());
}

TEST_F(MetricsServerTest, RefusesAddressesThatItCannotHave) {
  const auto snapshot = [] { return stats::Snapshot(); };
  const auto taken = Server::Start(server_->address(), snapshot);
  EXPECT_EQ(taken.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(taken.status().message()),
              StartsWith("metrics: " + server_->address().ToString() + ": "));
  const auto elsewhere = Server::Start({"", "192.0.2.1", 0}, snapshot);
  EXPECT_THAT(std::string(elsewhere.status().message()), StartsWith("metrics: 192.0.2.1:0: "));
  const auto unix_socket = Server::Start({"/tmp/x", "", 0}, snapshot);
  EXPECT_THAT(std::string(unix_socket.status().message()),
              StartsWith("metrics: got unix:/tmp/x, want HOST:PORT"));
  const auto ipv6 = Server::Start({"", "::1", 0}, snapshot);
  EXPECT_THAT(std::string(ipv6.status().message()),
              StartsWith("metrics: got [::1]:0, want HOST:PORT with an IPv4 address"));
}

}  // namespace
}  // namespace parity::metrics
