// What a worker's requests came to.
#ifndef PARITY_ENGINE_ANSWER_COUNTS_H_
#define PARITY_ENGINE_ANSWER_COUNTS_H_

#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "parity/engine/counter.h"
#include "parity/engine/stripe_job.h"
#include "parity/stats/snapshot.h"

namespace parity::engine {

// One thread adds, any may read.
class AnswerCounts {
 public:
  // A request whose job was done.
  void Done(Operation operation, const StripeJob& job);
  // A request answered with `code`, which is not OK.
  void Failed(Operation operation, absl::StatusCode code);

  // Adds them to what all workers have done, and what this one has.
  void AddTo(std::array<stats::OperationCounts, stats::kOperations>& total,
             stats::Worker& worker) const;

 private:
  struct OfOperation {
    std::array<Counter, stats::kCodes> requests;
    Counter stripes;
    Counter source_bytes;
    Counter computed_bytes;
  };

  std::array<OfOperation, stats::kOperations> operations_;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_ANSWER_COUNTS_H_
