// The ways in which a user of ISA-L can do what a row asks for.
#ifndef PARITY_KERNELS_BENCH_ISAL_CANDIDATES_H_
#define PARITY_KERNELS_BENCH_ISAL_CANDIDATES_H_

#include <string>
#include <vector>

#include "grid.h"
#include "isal.h"
#include "parity/timing/timing.h"
#include "stripe.h"

namespace parity::bench {

struct Candidate {
  std::string name;  // the functions it calls: "xor_gen_avx512"
  timing::Call call;
};

// Every way whose functions accept the row's pointers and length, in no order. The library and the
// stripe must stay where they are as long as a call is used.
std::vector<Candidate> IsalCandidates(const Isal& isal, const Row& row, Stripe& stripe);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_ISAL_CANDIDATES_H_
