// One slice at the servers of a pool: which are tried, when, and how often.
#ifndef PARITY_CLIENT_ATTEMPTS_H_
#define PARITY_CLIENT_ATTEMPTS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "counters.h"
#include "crew.h"
#include "parity/client/client.h"
#include "pool.h"
#include "retry_budget.h"

namespace parity::client {

// Thread-safe.
class Attempts {
 public:
  // All must outlive it.
  Attempts(const ClientOptions& options, Pool& pool, Crew& crew, Counters& counters)
      : options_(options),
        pool_(pool),
        crew_(crew),
        counters_(counters),
        budget_({static_cast<double>(options.retry_tokens), options.retry_ratio}) {}

  // Runs the request at servers until one has done it. With `has_other_way`, what has failed may be
  // computed in this process: so it does not wait for a server to come back, and leaves half of the
  // time. `done` is what was done in spite of an error; see Request.
  //
  // An error that no other attempt could cure is the answer (IsFinal). RESOURCE_EXHAUSTED with the
  // field "message": send smaller slices.
  absl::Status Run(const Request& request, const CallOptions& options, bool has_other_way,
                   size_t* done);

  // Whether what is asked for is at fault, or has been called off.
  static bool IsFinal(const absl::Status& status);

 private:
  // One attempt, hedged if that is wanted and can be.
  absl::Status Try(const Pool::Choice& choice, const Pool::Tried& tried, const Request& request,
                   const CallOptions& options);
  absl::Status TryOne(const Pool::Choice& choice, const Request& request,
                      const CallOptions& options);
  absl::Status TryHedged(const Pool::Choice& choice, const Pool::Tried& tried,
                         const Request& request, const CallOptions& options);
  // Until then, or until the call is cancelled.
  static void Pause(absl::Time until, const CallOptions& options);

  const ClientOptions& options_;
  Pool& pool_;
  Crew& crew_;
  Counters& counters_;
  RetryBudget budget_;
};

}  // namespace parity::client

#endif  // PARITY_CLIENT_ATTEMPTS_H_
