#include "shm_compare.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "local_load.h"
#include "measurement.h"
#include "parity/kernels/dispatch.h"
#include "parity/timing/read_limit.h"
#include "placement.h"
#include "ring_load.h"
#include "sources.h"
#include "unary_load.h"

namespace parity::bench {
namespace {

// Of ReadCalls.
constexpr size_t kReadGranule = 4096;

// What checks shares no code with the kernels that are measured, where there are others.
constexpr char kCheckingKernels[] = "scalar";

absl::StatusOr<Measurement> MeasureOne(std::unique_ptr<Load> load, const ServerProcess& server,
                                       const Setup& setup) {
  std::vector<std::unique_ptr<Load>> loads;
  loads.push_back(std::move(load));
  return Measure(std::move(loads), server.pid(), setup.duration);
}

// Once through all slots.
absl::StatusOr<uint64_t> CheckEverySlot(client::Ring& ring, const ShmRow& row,
                                        const kernels::KernelTable& checking) {
  Slots slots(row, ring.memory().data(), checking, Checks::kEvery);
  const LoadControl control;
  Meter meter;
  absl::Status status = MakeRingLoad(ring, row, slots, slots.count())->Run(control, meter);
  if (!status.ok()) return status;
  return slots.checked();
}

double ReadGbps(const uint8_t* memory, const ShmRow& row) {
  const size_t bytes = row.region_bytes() / kReadGranule * kReadGranule;
  const std::vector<timing::Call> calls = timing::ReadCalls(memory, bytes);
  double nanoseconds = timing::QuickNanoseconds(calls[0]);
  for (size_t i = 1; i < calls.size(); ++i) {
    nanoseconds = std::min(nanoseconds, timing::QuickNanoseconds(calls[i]));
  }
  return static_cast<double>(bytes) / nanoseconds;
}

}  // namespace

absl::StatusOr<SharedMemory> OpenSharedMemory(const Setup& setup, const std::vector<ShmRow>& rows,
                                              std::optional<absl::Duration> spin) {
  SharedMemory shared;
  absl::StatusOr<std::unique_ptr<ServerProcess>> server =
      StartSubject(setup, "subject", {"--workers=1"});
  if (!server.ok()) return server.status();
  shared.server = *std::move(server);
  if (absl::Status status = KeepToLastWorkersCore(); !status.ok()) return status;
  client::RingOptions options;
  options.target = shared.server->endpoint(Transport::kUnix).ToString();
  options.region_bytes = 0;
  for (const ShmRow& row : rows) {
    options.region_bytes = std::max<uint64_t>(options.region_bytes, row.region_bytes());
  }
  if (spin.has_value()) options.spin = *spin;
  absl::StatusOr<std::unique_ptr<client::Ring>> ring = client::Ring::Connect(options);
  if (!ring.ok()) return ring.status();
  shared.ring = *std::move(ring);
  FillWithNoise(shared.ring->memory().data(), shared.ring->memory().size());
  return shared;
}

absl::StatusOr<ShmResult> CompareShm(const Setup& setup, const SharedMemory& shared,
                                     const ShmRow& row) {
  const absl::StatusOr<const kernels::KernelTable*> checking =
      kernels::SelectTable(kCheckingKernels);
  if (!checking.ok()) return checking.status();
  client::Ring& ring = *shared.ring;
  uint8_t* const memory = ring.memory().data();
  if (absl::Status status = DefinePlan(ring, row); !status.ok()) return status;
  const absl::StatusOr<uint64_t> checked = CheckEverySlot(ring, row, **checking);
  if (!checked.ok()) return checked.status();

  ShmResult result(row);
  result.checked = *checked;
  std::optional<Workload> workload;
  if (row.beside_unary) {
    absl::StatusOr<Sources> sources = Sources::Make(row.job().source_bytes());
    if (!sources.ok()) return sources.status();
    workload = Workload{row.job(), *sources, setup.table};
  }
  std::vector<double> rates;
  std::vector<double> local_rates;
  std::vector<double> cpu;
  std::vector<double> read_gbps;
  timing::LatencyHistogram latencies;
  timing::LatencyHistogram unary_latencies;
  for (int round = 0; round < setup.rounds; ++round) {
    Slots slots(row, memory, **checking, Checks::kSampled);
    absl::StatusOr<Measurement> measured =
        MeasureOne(MakeRingLoad(ring, row, slots), *shared.server, setup);
    if (!measured.ok()) return measured.status();
    rates.push_back(measured->requests_per_s);
    cpu.push_back(measured->server_cpu_s_per_request);
    latencies.Merge(measured->latencies);
    result.checked += slots.checked();

    Slots local_slots(row, memory, **checking, Checks::kSampled);
    measured = MeasureOne(MakeLocalLoad(row, *setup.table, local_slots), *shared.server, setup);
    if (!measured.ok()) return measured.status();
    local_rates.push_back(measured->requests_per_s);

    read_gbps.push_back(ReadGbps(memory, row));
    if (!workload.has_value()) continue;
    absl::StatusOr<std::unique_ptr<Load>> unary =
        OpenUnaryLoad(shared.server->endpoint(Transport::kUnix), *workload, {});
    if (!unary.ok()) return unary.status();
    measured = MeasureOne(*std::move(unary), *shared.server, setup);
    if (!measured.ok()) return measured.status();
    unary_latencies.Merge(measured->latencies);
  }
  const Job job = row.job();
  const double rate = Median(std::move(rates));
  const double local_rate = Median(std::move(local_rates));
  const auto stripes = static_cast<double>(row.stripes);
  result.gbps = Gbps(rate, job);
  result.stripes_per_s = rate * stripes;
  result.local_gbps = Gbps(local_rate, job);
  result.local_stripes_per_s = local_rate * stripes;
  result.read_limit_gbps = Median(std::move(read_gbps));
  result.p50_us = latencies.QuantileUs(0.5);
  result.p99_us = latencies.QuantileUs(0.99);
  result.server_cpu_s_per_gb =
      Median(std::move(cpu)) * 1e9 / static_cast<double>(job.source_bytes());
  if (workload.has_value()) result.unary_p50_us = unary_latencies.QuantileUs(0.5);
  return result;
}

}  // namespace parity::bench
