#include "parity/engine/answer_counts.h"

namespace parity::engine {

void AnswerCounts::Done(Operation operation, const StripeJob& job) {
  OfOperation& counts = operations_[static_cast<size_t>(operation)];
  counts.requests[0].Add(1);
  counts.stripes.Add(job.stripes());
  counts.source_bytes.Add(job.source_bytes());
  counts.computed_bytes.Add(job.result_bytes());
}

void AnswerCounts::Failed(Operation operation, absl::StatusCode code) {
  const auto number = static_cast<size_t>(code);
  operations_[static_cast<size_t>(operation)].requests.at(number).Add(1);
}

void AnswerCounts::AddTo(std::array<stats::OperationCounts, stats::kOperations>& total,
                         stats::Worker& worker) const {
  for (size_t i = 0; i < stats::kOperations; ++i) {
    const OfOperation& counts = operations_[i];
    for (size_t code = 0; code < stats::kCodes; ++code) {
      const uint64_t requests = counts.requests[code].value();
      total[i].requests[code] += requests;
      worker.requests += requests;
    }
    const uint64_t source_bytes = counts.source_bytes.value();
    total[i].stripes += counts.stripes.value();
    total[i].source_bytes += source_bytes;
    total[i].computed_bytes += counts.computed_bytes.value();
    worker.source_bytes += source_bytes;
  }
}

}  // namespace parity::engine
