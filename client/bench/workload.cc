#include "workload.h"

#include <cstdio>
#include <cstdlib>

#include "parity/kernels/gf256.h"
#include "parity/kernels/tuning.h"

namespace parity::bench {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;

}  // namespace

Workload::Workload(const codec::Geometry& geometry, size_t shard_bytes)
    : geometry_(geometry), shard_bytes_(shard_bytes) {
  const uint32_t k = geometry.data_shards();
  const uint32_t m = geometry.parity_shards();
  const size_t stride = (shard_bytes + kPage - 1) / kPage * kPage + kLine;
  memory_.resize((k + m) * stride + kPage, 0xa5);
  uint8_t* const start = memory_.data() + -reinterpret_cast<uintptr_t>(memory_.data()) % kPage;
  for (uint32_t shard = 0; shard < k; ++shard) {
    data_.emplace_back(start + shard * stride, shard_bytes);
    sources_.push_back(start + shard * stride);
  }
  for (uint32_t shard = k; shard < k + m; ++shard) parity_.push_back(start + shard * stride);
  // What a kernel takes does not depend on what the factors are.
  for (uint32_t i = 0; i < k * m; ++i) {
    factors_.push_back(kernels::FactorOf(static_cast<uint8_t>(i % 254 + 2)));
  }
}

timing::Call Workload::Encode(client::Coder& coder) const {
  return timing::Repeated([this, &coder] {
    const absl::Status status = coder.Encode(geometry_, data_, shard_bytes_, parity_);
    if (status.ok()) return;
    std::fprintf(stderr, "parity_client_bench: %s\n", status.ToString().c_str());
    std::exit(1);
  });
}

timing::Call Workload::Kernel(const kernels::KernelTable& table) const {
  const kernels::Tuning& tuning = kernels::HostTuning();
  if (geometry_.code() == codec::Code::kXor) {
    const kernels::XorJob job = {parity_[0], sources_.data(), sources_.size(), shard_bytes_};
    return timing::Repeated([&table, &tuning, job] { table.xor_generate(&job, 1, tuning); });
  }
  if (geometry_.code() == codec::Code::kRaid6) {
    const kernels::PqJob job = {parity_[0], parity_[1], sources_.data(), sources_.size(),
                                shard_bytes_};
    return timing::Repeated([&table, &tuning, job] { table.pq_generate(&job, 1, tuning); });
  }
  const kernels::GfMatrixJob job = {parity_.data(),  sources_.data(), factors_.data(),
                                    sources_.size(), parity_.size(),  shard_bytes_};
  return timing::Repeated([&table, &tuning, job] { table.gf_matrix(&job, 1, tuning); });
}

double Workload::data_bytes() const {
  return static_cast<double>(shard_bytes_) * geometry_.data_shards();
}

}  // namespace parity::bench
