#include "parity/metrics/exposition.h"

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace parity::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

stats::Snapshot Small() {
  stats::Snapshot snapshot;
  snapshot.version = "1.2.3";
  snapshot.revision = "abc";
  snapshot.kernels = "avx2";
  snapshot.serving = true;
  stats::Service service;
  service.operations[0].requests[0] = 5;
  service.operations[0].requests[8] = 2;
  service.operations[0].stripes = 10;
  service.operations[0].source_bytes = 4000;
  service.operations[0].computed_bytes = 1000;
  service.refused_requests = 2;
  service.queue_seconds = {{0.001, 0.01}, {3, 1, 1}, 2.5};
  service.compute_seconds = service.queue_seconds;
  service.batch_slices = {{1, 2}, {4, 0, 0}, 4};
  snapshot.services.push_back(service);
  stats::Worker worker;
  worker.id = 3;
  worker.cpu = 7;
  worker.node = 1;
  worker.busy_seconds = 1.5;
  worker.requests = 7;
  snapshot.workers.push_back(worker);
  worker.transport = stats::Transport::kRing;
  snapshot.workers.push_back(worker);
  snapshot.runs.push_back({"equal", {{64}, {2, 1}, 1000}});
  snapshot.held_bytes = 100;
  snapshot.held_bytes_limit = 1 << 20;
  return snapshot;
}

TEST(Exposition, SaysEachValueWithItsLabels) {
  const std::string text = Exposition(Small(), {});
  for (const char* line : {
           "parityd_build_info{version=\"1.2.3\",revision=\"abc\",kernels=\"avx2\"} 1\n",
           "parityd_serving 1\n",
           "parityd_draining 0\n",
           "parityd_requests_total{op=\"encode\",transport=\"grpc\",code=\"OK\"} 5\n",
           "parityd_requests_total{op=\"encode\",transport=\"grpc\",code=\"RESOURCE_EXHAUSTED\"} "
           "2\n",
           "parityd_requests_total{op=\"update\",transport=\"grpc\",code=\"OK\"} 0\n",
           "parityd_stripes_total{op=\"encode\",transport=\"grpc\"} 10\n",
           "parityd_source_bytes_total{op=\"encode\",transport=\"grpc\"} 4000\n",
           "parityd_computed_bytes_total{op=\"encode\",transport=\"grpc\"} 1000\n",
           "parityd_refused_requests_total{transport=\"grpc\"} 2\n",
           "parityd_worker_busy_seconds_total{worker=\"3\",transport=\"grpc\",cpu=\"7\",node=\"1\"}"
           " 1.5\n",
           "parityd_worker_requests_total{worker=\"3\",transport=\"ring\",cpu=\"7\",node=\"1\"} "
           "7\n",
           "parityd_held_bytes 100\n",
           "parityd_held_limit_bytes 1048576\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(Exposition, BucketsOfHistogramsAddUp) {
  const std::string text = Exposition(Small(), {});
  EXPECT_THAT(text, HasSubstr("# TYPE parityd_request_queue_seconds histogram\n"));
  for (const char* line : {
           "parityd_request_queue_seconds_count{transport=\"grpc\"} 5\n",
           "parityd_request_queue_seconds_sum{transport=\"grpc\"} 2.5\n",
           "parityd_request_queue_seconds_bucket{transport=\"grpc\",le=\"0.001\"} 3\n",
           "parityd_request_queue_seconds_bucket{transport=\"grpc\",le=\"0.01\"} 4\n",
           "parityd_request_queue_seconds_bucket{transport=\"grpc\",le=\"+Inf\"} 5\n",
           "parityd_run_bytes_bucket{alignment=\"equal\",le=\"64\"} 2\n",
           "parityd_run_bytes_bucket{alignment=\"equal\",le=\"+Inf\"} 3\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// By the conventions of Prometheus: a TYPE and a HELP for each name, once; counters end with
// _total, and nothing else does.
TEST(Exposition, KeepsTheConventions) {
  stats::Snapshot snapshot = Small();
  snapshot.certificates.push_back({"server", 1e9});
  ProcessFacts process;
  process.throttling.emplace();
  process.node_bytes[0] = 1;
  std::istringstream lines(Exposition(snapshot, process));
  std::set<std::string> typed;
  std::set<std::string> helped;
  std::string line;
  std::string family;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string hash;
    std::string kind;
    if (line[0] == '#') {
      std::string type;
      words >> hash >> kind >> family >> type;
      if (kind == "HELP") {
        EXPECT_TRUE(helped.insert(family).second) << line;
        EXPECT_NE(type, "") << line;
        EXPECT_EQ(line.back(), '.') << line;
        continue;
      }
      EXPECT_TRUE(typed.insert(family).second) << line;
      const bool is_total = family.size() > 6 && family.substr(family.size() - 6) == "_total";
      EXPECT_EQ(is_total, type == "counter") << line;
      EXPECT_TRUE(family.rfind("parityd_", 0) == 0 || family.rfind("process_", 0) == 0) << line;
      continue;
    }
    EXPECT_EQ(line.rfind(family, 0), 0u) << line;
  }
  EXPECT_EQ(typed, helped);
  EXPECT_GT(typed.size(), 40u);
}

TEST(Exposition, LeavesOutWhatThereIsNot) {
  stats::Snapshot snapshot = Small();
  EXPECT_THAT(Exposition(snapshot, {}), Not(HasSubstr("parityd_certificate_expiry")));
  EXPECT_THAT(Exposition(snapshot, {}), Not(HasSubstr("parityd_cpu_throttled")));
  snapshot.certificates.push_back({"client_ca", 1'700'000'000});
  ProcessFacts process;
  process.throttling = engine::CpuThrottling{10, 4, 0.25};
  const std::string text = Exposition(snapshot, process);
  EXPECT_THAT(text, HasSubstr("parityd_certificate_expiry_timestamp_seconds{role=\"client_ca\"} "
                              "1700000000\n"));
  EXPECT_THAT(text, HasSubstr("parityd_cpu_throttled_periods_total 4\n"));
  EXPECT_THAT(text, HasSubstr("parityd_cpu_throttled_seconds_total 0.25\n"));
}

TEST(StatusJson, HasWhatThePageDraws) {
  ProcessFacts process;
  process.node_bytes[1] = 4096;
  const auto status = nlohmann::json::parse(StatusJson(Small(), process));
  EXPECT_EQ(status["version"], "1.2.3");
  EXPECT_EQ(status["serving"], true);
  EXPECT_EQ(status["services"][0]["operations"]["encode"]["requests"]["OK"], 5);
  EXPECT_EQ(status["services"][0]["operations"]["encode"]["requests"]["RESOURCE_EXHAUSTED"], 2);
  EXPECT_EQ(status["services"][0]["queue_seconds"]["counts"], (std::vector<uint64_t>{3, 1, 1}));
  EXPECT_EQ(status["workers"].size(), 2u);
  EXPECT_EQ(status["workers"][1]["transport"], "ring");
  EXPECT_EQ(status["process"]["node_bytes"]["1"], 4096);
  EXPECT_TRUE(status["process"]["throttling"].is_null());
}

TEST(StatusJson, IsJsonWhateverAPathHolds) {
  stats::Snapshot snapshot = Small();
  snapshot.addresses = {"unix:/tmp/\xff\"\n"};
  EXPECT_TRUE(nlohmann::json::accept(StatusJson(snapshot, {})));
}

}  // namespace
}  // namespace parity::metrics
