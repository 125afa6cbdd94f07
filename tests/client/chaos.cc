// A client under load whose servers are killed, frozen and started again.
//   client_chaos PARITYD [SECONDS [SEED [faults|restarts|ages [tls]]]]
// For so long each:
//   faults    two servers of which one is killed and started again every other second, and of which
//             one is frozen; then one server alone, which is killed, with local fallback
//   restarts  two servers of which each in turn is told to end, drains, and is started again
//   ages      two servers that end every connection after a second
// Fails if a call fails, an answer is wrong, a call outlasts its deadline or a server that was told
// to end does not exit with 0. With "tls" everything is encrypted.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "certificates.h"
#include "known_stripes.h"
#include "parity/client/client.h"

namespace parity::client {
namespace {

constexpr absl::Duration kDeadline = absl::Seconds(20);
// A call ends shortly after its deadline if its peer does not read.
constexpr absl::Duration kOverrun = absl::Seconds(1);
constexpr int kThreads = 4;

[[noreturn]] void Fail(const std::string& what) {
  std::printf("FAILED: %s\n", what.c_str());
  std::exit(1);
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

uint16_t FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t bytes = sizeof address;
  (void)bind(probe, reinterpret_cast<sockaddr*>(&address), bytes);
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &bytes);
  close(probe);
  return ntohs(address.sin_port);
}

// On a port that it keeps from one life to the next.
class Parityd {
 public:
  Parityd(const char* program, std::vector<std::string> options)
      : program_(program), port_(FreePort()), options_(std::move(options)) {
    options_.insert(options_.begin(), {program, absl::StrCat("--listen=", target())});
    Start();
  }
  ~Parityd() { Kill(); }

  std::string target() const { return absl::StrCat("127.0.0.1:", port_); }

  void Start() {
    std::vector<char*> arguments;
    for (std::string& option : options_) arguments.push_back(option.data());
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(126);
      execv(program_, arguments.data());
      _exit(127);
    }
    const absl::Time give_up = absl::Now() + absl::Seconds(20);
    while (!Accepts()) {
      if (absl::Now() > give_up || waitpid(pid_, nullptr, WNOHANG) != 0) {
        Fail("the server did not start");
      }
      absl::SleepFor(absl::Milliseconds(5));
    }
  }
  void Kill() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  // Lets it drain.
  void End() {
    kill(pid_, SIGTERM);
    int status = 0;
    waitpid(pid_, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      Fail(absl::StrCat("a server that was told to end has ended with ", status));
    }
  }
  void Freeze() const { kill(pid_, SIGSTOP); }
  void Thaw() const { kill(pid_, SIGCONT); }

 private:
  bool Accepts() const {
    const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = Loopback(port_);
    const bool accepts =
        connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(probe);
    return accepts;
  }

  const char* const program_;
  const uint16_t port_;
  std::vector<std::string> options_;
  pid_t pid_ = -1;
};

class Load {
 public:
  Load(Client& client, const std::vector<KnownStripe>& stripes, uint32_t seed)
      : client_(client), stripes_(stripes) {
    for (int i = 0; i < kThreads; ++i) {
      threads_.emplace_back(&Load::Run, this, seed + static_cast<uint32_t>(i));
    }
  }
  ~Load() {
    ending_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  uint64_t calls() const { return calls_; }

 private:
  void Run(uint32_t seed) {
    std::mt19937 random(seed);
    while (!ending_) {
      const absl::Time start = absl::Now();
      const absl::Status status = stripes_[random() % stripes_.size()].Ask(client_, random);
      if (!status.ok()) Fail(status.ToString());
      if (absl::Now() - start > kDeadline + kOverrun) Fail("a call has outlasted its deadline");
      ++calls_;
    }
  }

  Client& client_;
  const std::vector<KnownStripe>& stripes_;
  std::atomic<bool> ending_{false};
  std::atomic<uint64_t> calls_{0};
  std::vector<std::thread> threads_;
};

class Chaos {
 public:
  Chaos(const char* program, absl::Duration duration, uint32_t seed,
        const std::vector<std::string>& server_options, const TlsOptions& tls)
      : duration_(duration),
        random_(seed),
        stripes_(MakeKnownStripes(seed)),
        tls_(tls),
        a_(program, server_options),
        b_(program, server_options) {}

  void RestartEachInTurn() {
    Parityd* next = &a_;
    RunWith("each of two servers is restarted in turn", {a_.target(), b_.target()},
            Policy::kRemoteOnly, [&] {
              next->End();
              Pause(500);
              next->Start();
              Pause(3'000);
              next = next == &a_ ? &b_ : &a_;
            });
  }
  void AgeOut() {
    RunWith("two servers end connections by age", {a_.target(), b_.target()}, Policy::kRemoteOnly,
            [&] { Pause(2'000); });
  }

  void KillOneOfTwo() {
    RunWith("one of two servers is killed", {a_.target(), b_.target()}, Policy::kRemoteOnly, [&] {
      Parityd& victim = random_() % 2 == 0 ? a_ : b_;
      victim.Kill();
      Pause(500);
      victim.Start();
      Pause(1'500);
    });
  }
  void FreezeOneOfTwo() {
    RunWith("one of two servers is frozen", {a_.target(), b_.target()}, Policy::kRemoteOnly, [&] {
      const Parityd& victim = random_() % 2 == 0 ? a_ : b_;
      victim.Freeze();
      Pause(2'000);
      victim.Thaw();
      Pause(1'000);
    });
  }
  void KillTheOnlyOne() {
    RunWith("the only server is killed", {a_.target()}, Policy::kPreferRemote, [&] {
      a_.Kill();
      Pause(1'000);
      a_.Start();
      Pause(1'000);
    });
  }

 private:
  // Any time up to that: what is tested is that it does not matter when.
  void Pause(int most_ms) { absl::SleepFor(absl::Milliseconds(random_() % most_ms)); }

  template <class Trouble>
  void RunWith(const char* what, const std::vector<std::string>& targets, Policy policy,
               Trouble trouble) {
    ClientOptions options;
    options.targets = targets;
    options.policy = policy;
    options.deadline = kDeadline;
    options.attempt_timeout = absl::Seconds(2);
    options.hedge_after = absl::Milliseconds(300);
    options.connections = 2;
    options.connection.tls = tls_;
    options.log = [](const std::string&) {};
    const auto client = Client::Make(options);
    if (!client.ok()) Fail(client.status().ToString());
    int times = 0;
    uint64_t calls;
    {
      const Load load(**client, stripes_, random_());
      for (const absl::Time end = absl::Now() + duration_; absl::Now() < end; ++times) trouble();
      // What was given up is tried again, 12.5 s after the last failure at the latest.
      const uint64_t before = (*client)->GetStats().remote_slices;
      const absl::Time give_up = absl::Now() + absl::Seconds(30);
      while ((*client)->GetStats().remote_slices == before) {
        if (absl::Now() > give_up) Fail("the servers are back, but are not asked");
        absl::SleepFor(absl::Milliseconds(5));
      }
      calls = load.calls();
    }
    const ClientStats stats = (*client)->GetStats();
    std::printf(
        "%s %d times: %llu calls, all right; %llu retries, %llu refused, %llu hedges, "
        "%llu of %llu slices computed here\n",
        what, times, Number(calls), Number(stats.retries), Number(stats.retries_refused),
        Number(stats.hedges), Number(stats.fallback_slices),
        Number(stats.fallback_slices + stats.remote_slices));
    std::fflush(stdout);
    if (policy == Policy::kPreferRemote && stats.fallback_slices == 0) Fail("nothing fell back");
  }
  static unsigned long long Number(uint64_t value) { return value; }

  const absl::Duration duration_;
  std::mt19937 random_;
  const std::vector<KnownStripe> stripes_;
  const TlsOptions tls_;
  Parityd a_;
  Parityd b_;
};

}  // namespace
}  // namespace parity::client

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: client_chaos PARITYD [SECONDS [SEED [faults|restarts|ages [tls]]]]\n");
    return 2;
  }
  const auto seconds = absl::Seconds(argc > 2 ? std::atof(argv[2]) : 10);
  const auto seed = argc > 3 ? static_cast<uint32_t>(std::atol(argv[3])) : std::random_device()();
  std::printf("seed %u\n", seed);
  const std::string what = argc > 4 ? argv[4] : "faults";
  std::vector<std::string> server_options;
  if (what == "ages") server_options.emplace_back("--max-age=1");
  const parity::testing::TestCertificates files;
  parity::client::TlsOptions tls;
  if (argc > 5) {
    files.MakeAuthority("ca");
    files.Make("server", "ca");
    tls = files.Client("ca");
    server_options.push_back("--tls-certificate=" + files.certificate("server"));
    server_options.push_back("--tls-key=" + files.key("server"));
  }
  parity::client::Chaos chaos(argv[1], seconds, seed, server_options, tls);
  if (what == "restarts") {
    chaos.RestartEachInTurn();
  } else if (what == "ages") {
    chaos.AgeOut();
  } else {
    chaos.KillOneOfTwo();
    chaos.FreezeOneOfTwo();
    chaos.KillTheOnlyOne();
  }
  return 0;
}
