#include "parity/codec/batch.h"

#include <algorithm>
#include <cassert>

namespace parity::codec {

void Batch::Add(absl::Span<const uint8_t* const> sources, absl::Span<uint8_t* const> dst,
                std::shared_ptr<const Coefficients> coefficients, size_t bytes) {
  assert(!sources.empty() && !dst.empty());
  assert(coefficients->size() == sources.size() * dst.size());
  const bool is_xor =
      dst.size() == 1 && std::all_of(coefficients->begin(), coefficients->end(),
                                     [](uint8_t coefficient) { return coefficient == 1; });
  planned_.push_back({sources_.size(), dst_.size(), sources.size(), dst.size(), bytes,
                      is_xor ? nullptr : coefficients.get()});
  sources_.insert(sources_.end(), sources.begin(), sources.end());
  dst_.insert(dst_.end(), dst.begin(), dst.end());
  // The runs of one stripe share their coefficients.
  if (coefficients_.empty() || coefficients_.back() != coefficients) {
    coefficients_.push_back(std::move(coefficients));
  }
}

void Batch::Run() {
  for (const Planned& job : planned_) {
    uint8_t* const* dst = dst_.data() + job.first_dst;
    const uint8_t* const* sources = sources_.data() + job.first_source;
    if (job.coefficients == nullptr) {
      xor_jobs_.push_back({*dst, sources, job.k, job.bytes});
    } else {
      gf_jobs_.push_back({dst, sources, job.coefficients->data(), job.k, job.m, job.bytes});
    }
  }
  if (!xor_jobs_.empty()) table_.xor_generate(xor_jobs_.data(), xor_jobs_.size());
  if (!gf_jobs_.empty()) table_.gf_matrix(gf_jobs_.data(), gf_jobs_.size());
  planned_.clear();
  sources_.clear();
  dst_.clear();
  coefficients_.clear();
  xor_jobs_.clear();
  gf_jobs_.clear();
}

}  // namespace parity::codec
