#include "kernel_measure.h"

namespace parity::cli {
namespace {

constexpr int kRateRounds = 25;

constexpr size_t kPage = 4096;
constexpr size_t kMostOffset = 64;

size_t Offset(ShardStarts starts, size_t shard) {
  switch (starts) {
    case ShardStarts::kPage:
      return 0;
    case ShardStarts::kAllPlus1:
      return 1;
    case ShardStarts::kScattered:
      return (7 + shard * 37) % kMostOffset;
  }
  return 0;
}

}  // namespace

KernelWorkload::KernelWorkload(const KernelShape& shape, size_t max_shard_bytes) : shape_(shape) {
  const size_t stride = (max_shard_bytes + kMostOffset + kPage - 1) / kPage * kPage;
  const size_t shards = shape.k + shape.m;
  memory_.resize(shards * stride + kPage, 0xa5);
  const size_t to_page = -reinterpret_cast<uintptr_t>(memory_.data()) % kPage;
  for (size_t shard = 0; shard < shards; ++shard) {
    uint8_t* start = memory_.data() + to_page + shard * stride + Offset(shape.starts, shard);
    if (shard < shape.k) {
      sources_.push_back(start);
    } else {
      outputs_.push_back(start);
    }
  }
  for (size_t i = 0; i < shape.k * shape.m; ++i) {
    factors_.push_back(kernels::FactorOf(static_cast<uint8_t>(i % 254 + 2)));
  }
}

timing::Call KernelWorkload::Call(const kernels::KernelTable& table, const kernels::Tuning& tuning,
                                  size_t shard_bytes) const {
  switch (shape_.op) {
    case KernelOp::kXor: {
      const kernels::XorJob job = {outputs_[0], sources_.data(), shape_.k, shard_bytes};
      return timing::Repeated([&table, &tuning, job] { table.xor_generate(&job, 1, tuning); });
    }
    case KernelOp::kPq: {
      const kernels::PqJob job = {outputs_[0], outputs_[1], sources_.data(), shape_.k, shard_bytes};
      return timing::Repeated([&table, &tuning, job] { table.pq_generate(&job, 1, tuning); });
    }
    case KernelOp::kReedSolomon: {
      const kernels::GfMatrixJob job = {outputs_.data(), sources_.data(), factors_.data(),
                                        shape_.k,        shape_.m,        shard_bytes};
      return timing::Repeated([&table, &tuning, job] { table.gf_matrix(&job, 1, tuning); });
    }
  }
  return {};
}

std::vector<KernelRate> MeasureRates(const std::vector<const kernels::KernelTable*>& tables) {
  constexpr KernelShape kXor = {KernelOp::kXor, 4, 1, ShardStarts::kPage};
  constexpr KernelShape kReedSolomon = {KernelOp::kReedSolomon, 4, 2, ShardStarts::kPage};
  const KernelWorkload xor_workload(kXor, kRateShardBytes);
  const KernelWorkload reed_solomon_workload(kReedSolomon, kRateShardBytes);
  const kernels::Tuning& tuning = kernels::HostTuning();
  std::vector<timing::Call> calls;
  for (const kernels::KernelTable* table : tables) {
    calls.push_back(xor_workload.Call(*table, tuning, kRateShardBytes));
    calls.push_back(reed_solomon_workload.Call(*table, tuning, kRateShardBytes));
  }
  const std::vector<double> nanoseconds = timing::MedianNanoseconds(calls, kRateRounds);
  constexpr double kSourceBytes = 4.0 * kRateShardBytes;
  std::vector<KernelRate> rates;
  for (size_t i = 0; i < tables.size(); ++i) {
    rates.push_back(
        {tables[i], kSourceBytes / nanoseconds[2 * i], kSourceBytes / nanoseconds[2 * i + 1]});
  }
  return rates;
}

}  // namespace parity::cli
