#include "parity/codec/batch.h"

#include <cassert>
#include <utility>

#include "parity/kernels/tuning.h"

namespace parity::codec {

void Batch::Generate(absl::Span<const uint8_t* const> sources, absl::Span<uint8_t* const> dst,
                     std::shared_ptr<const Factors> factors, size_t bytes) {
  assert(sources.size() == factors->sources());
  const size_t first_source = sources_.size();
  sources_.insert(sources_.end(), sources.begin(), sources.end());
  Operation operation = Operation::kMatrix;
  switch (factors->kernel()) {
    case Kernel::kXor:
      operation = Operation::kXor;
      break;
    case Kernel::kPq:
      operation = Operation::kPq;
      break;
    case Kernel::kMatrix:
      break;
  }
  Plan(operation, first_source, sources.size(), dst, std::move(factors), bytes);
}

void Batch::Update(absl::Span<const uint8_t* const> old_sources,
                   absl::Span<const uint8_t* const> new_sources, absl::Span<uint8_t* const> dst,
                   std::shared_ptr<const Factors> factors, size_t bytes) {
  assert(old_sources.size() == factors->sources() && new_sources.size() == factors->sources());
  const size_t first_source = sources_.size();
  sources_.insert(sources_.end(), old_sources.begin(), old_sources.end());
  sources_.insert(sources_.end(), new_sources.begin(), new_sources.end());
  if (factors->kernel() == Kernel::kXor) {
    sources_.push_back(dst.front());
    Plan(Operation::kXor, first_source, sources_.size() - first_source, dst, std::move(factors),
         bytes);
  } else {
    Plan(Operation::kMatrixUpdate, first_source, new_sources.size(), dst, std::move(factors),
         bytes);
  }
}

void Batch::Plan(Operation operation, size_t first_source, size_t sources,
                 absl::Span<uint8_t* const> dst, std::shared_ptr<const Factors> factors,
                 size_t bytes) {
  assert(dst.size() == factors->outputs());
  runs_.Add(absl::MakeConstSpan(sources_).subspan(first_source), bytes);
  // Field by field: a copied whole would wait for the stores of its parts.
  planned_.emplace_back();
  Planned& job = planned_.back();
  job.operation = operation;
  job.first_source = first_source;
  job.sources = sources;
  job.first_dst = dst_.size();
  job.factors = factors.get();
  job.bytes = bytes;
  dst_.insert(dst_.end(), dst.begin(), dst.end());
  // The runs of one stripe share their factors.
  if (factors_.empty() || factors_.back() != factors) factors_.push_back(std::move(factors));
}

void Batch::MakeJobs() {
  for (const Planned& job : planned_) {
    uint8_t* const* dst = dst_.data() + job.first_dst;
    const uint8_t* const* sources = sources_.data() + job.first_source;
    const kernels::GfFactor* factors = job.factors->source_major();
    const size_t outputs = job.factors->outputs();
    switch (job.operation) {
      case Operation::kXor:
        xor_jobs_.push_back({dst[0], sources, job.sources, job.bytes});
        break;
      case Operation::kPq:
        pq_jobs_.push_back({dst[0], dst[1], sources, job.sources, job.bytes});
        break;
      case Operation::kMatrix:
        matrix_jobs_.push_back({dst, sources, factors, job.sources, outputs, job.bytes});
        break;
      case Operation::kMatrixUpdate:
        matrix_add_jobs_.push_back(
            {dst, sources + job.sources, factors, job.sources, outputs, job.bytes, sources});
        break;
    }
  }
}

void Batch::Run() {
  MakeJobs();
  const kernels::Tuning& tuning = kernels::HostTuning();
  if (!xor_jobs_.empty()) table_.xor_generate(xor_jobs_.data(), xor_jobs_.size(), tuning);
  if (!pq_jobs_.empty()) table_.pq_generate(pq_jobs_.data(), pq_jobs_.size(), tuning);
  if (!matrix_jobs_.empty()) table_.gf_matrix(matrix_jobs_.data(), matrix_jobs_.size(), tuning);
  if (!matrix_add_jobs_.empty()) {
    table_.gf_matrix_add(matrix_add_jobs_.data(), matrix_add_jobs_.size(), tuning);
  }
  planned_.clear();
  sources_.clear();
  dst_.clear();
  factors_.clear();
  xor_jobs_.clear();
  pq_jobs_.clear();
  matrix_jobs_.clear();
  matrix_add_jobs_.clear();
}

}  // namespace parity::codec
