// Clients of shared memory that come, work and are killed, over and over; afterwards the server
// holds what it held in the beginning.
//   shm_churn PARITYD [CYCLES]
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "parity/codec/geometry.h"
#include "process.h"
#include "raw_client.h"

namespace parity::shm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kClientsAtOnce = 3;
constexpr uint64_t kRegionBytes = 4 << 20;
constexpr size_t kShardBytes = 400'000;

// What may differ in the end. Threads cache memory that others have freed.
constexpr uint64_t kSlackBytes = 8 << 20;

struct Level {
  size_t descriptors;
  size_t regions;
  uint64_t anonymous;
  uint64_t shared;
};

// Regions that a process has mapped.
size_t RegionsOf(const std::string& process) {
  std::ifstream maps("/proc/" + process + "/maps");
  std::string line;
  size_t count = 0;
  while (std::getline(maps, line)) count += line.find("parity-region") != std::string::npos ? 1 : 0;
  return count;
}

Level LevelOf(pid_t server) {
  const std::string process = std::to_string(server);
  return {OpenDescriptors(process), RegionsOf(process), MemoryOf("RssAnon", process),
          MemoryOf("RssShmem", process)};
}

void Print(const char* when, const Level& level) {
  std::printf("%s: %zu descriptors, %zu regions, %.1f MiB, %.1f MiB shared\n", when,
              level.descriptors, level.regions, static_cast<double>(level.anonymous) / (1 << 20),
              static_cast<double>(level.shared) / (1 << 20));
  std::fflush(stdout);
}

[[noreturn]] void Fail(const char* what) {
  std::printf("FAILED: %s\n", what);
  std::exit(1);
}

bool WaitFor(const std::function<bool()>& condition) {
  const Clock::time_point give_up = Clock::now() + RawClient::kPatience;
  while (!condition()) {
    if (Clock::now() > give_up) return false;
    usleep(1'000);
  }
  return true;
}

// A server of its own; ends with this.
class Parityd {
 public:
  explicit Parityd(const char* program) {
    char name[] = "/tmp/parity-shm-churn.XXXXXX";
    directory_ = mkdtemp(name);
    const std::string listen = "unix:" + directory_ + "/churn.sock";
    pid_ = fork();
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      execl(program, program, "--listen", listen.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    struct stat found;
    if (!WaitFor([&] { return !runs() || stat(path().c_str(), &found) == 0; }) || !runs()) {
      Fail("the server did not start");
    }
  }
  ~Parityd() {
    if (runs()) {
      kill(pid_, SIGTERM);
      waitpid(pid_, nullptr, 0);
    }
    std::filesystem::remove_all(directory_);
  }

  pid_t pid() const { return pid_; }
  std::string path() const { return directory_ + "/churn.sock" + kPathSuffix; }
  bool runs() {
    if (!ended_) ended_ = waitpid(pid_, nullptr, WNOHANG) != 0;
    return !ended_;
  }

 private:
  std::string directory_;
  pid_t pid_ = -1;
  bool ended_ = false;
};

std::vector<uint64_t> EncodeRecord(uint64_t id) {
  RecordHeader header{};
  header.stripes = 1;
  header.id = id;
  header.shard_bytes = kShardBytes;
  std::vector<uint64_t> places;
  for (uint64_t i = 0; i < 6; ++i) places.push_back(i * kShardBytes);
  return RunRecord(header, places, {});
}

bool Define(RawClient& client) {
  client.Write(DefineRecord(
      0, {Operation::kEncode, *codec::Geometry::Make(codec::Code::kRaid6, 4, 2), {}, {}}, 0));
  client.Publish();
  const auto ended = client.Take();
  return ended.has_value() && ended->outcome == Outcome::kDone;
}

// Has jobs under way until it is killed.
[[noreturn]] void Work(const std::string& path) {
  RawClient client(path);
  if (client.ShakeHands(kRegionBytes) && Define(client)) {
    uint64_t id = 1;
    for (; id < 100; ++id) client.Write(EncodeRecord(id));
    client.Publish();
    while (client.Take().has_value()) {
      client.Write(EncodeRecord(id++));
      client.Publish();
    }
  }
  pause();
  _exit(1);
}

// One that is served as it should be: P is the XOR of the data.
bool IsServed(const std::string& path) {
  RawClient client(path);
  if (!client.ShakeHands(kRegionBytes) || !Define(client)) return false;
  for (size_t i = 0; i < 4 * kShardBytes; ++i) client.data()[i] = static_cast<uint8_t>(i * i >> 3);
  client.Write(EncodeRecord(5));
  client.Publish();
  const auto ended = client.Take();
  if (!ended.has_value() || ended->id != 5 || ended->outcome != Outcome::kDone) return false;
  for (size_t i = 0; i < kShardBytes; ++i) {
    uint8_t parity = 0;
    for (size_t shard = 0; shard < 4; ++shard) parity ^= client.data()[shard * kShardBytes + i];
    if (client.data()[4 * kShardBytes + i] != parity) return false;
  }
  return true;
}

void RunCycles(const std::string& path, int cycles, std::mt19937& random) {
  for (int cycle = 0; cycle < cycles; cycle += kClientsAtOnce) {
    std::vector<pid_t> clients;
    for (int i = 0; i < kClientsAtOnce; ++i) {
      const pid_t client = fork();
      if (client == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        Work(path);
      }
      clients.push_back(client);
    }
    // Within the handshake, which takes some milliseconds, or with jobs under way.
    for (const pid_t client : clients) {
      usleep(random() % (random() % 2 == 0 ? 4'000 : 12'000));
      kill(client, SIGKILL);
      waitpid(client, nullptr, 0);
    }
  }
}

int Churn(const char* program, int cycles) {
  std::mt19937 random(1);
  Parityd server(program);
  const auto is_quiet = [&] { return RegionsOf(std::to_string(server.pid())) == 0; };
  // What is made on first use is there afterwards.
  RunCycles(server.path(), std::max(cycles / 10, 10 * kClientsAtOnce), random);
  if (!IsServed(server.path()) || !WaitFor(is_quiet)) Fail("not served, or regions stay");
  const Level before = LevelOf(server.pid());
  Print("before", before);
  for (int part = 0; part < 5; ++part) {
    RunCycles(server.path(), cycles / 5, random);
    if (!server.runs()) Fail("the server has ended");
    Print("then", LevelOf(server.pid()));
  }
  if (!IsServed(server.path())) Fail("a client was not served as it should be");
  Level after{};
  const bool is_back = WaitFor([&] {
    after = LevelOf(server.pid());
    return after.descriptors <= before.descriptors && after.regions <= before.regions &&
           after.shared <= before.shared + (1 << 20) &&
           after.anonymous <= before.anonymous + kSlackBytes;
  });
  Print("after", after);
  if (!is_back) Fail("the server holds more than before");
  return 0;
}

}  // namespace
}  // namespace parity::shm

int main(int argc, char** argv) {
  const int cycles = argc > 2 ? std::atoi(argv[2]) : 10'000;
  if (argc < 2 || cycles < 1) {
    std::fprintf(stderr, "usage: shm_churn PARITYD [CYCLES]\n");
    return 2;
  }
  return parity::shm::Churn(argv[1], cycles);
}
