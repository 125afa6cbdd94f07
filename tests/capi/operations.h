// Every operation of the C API on a stripe, compared with what the stripe is and LocalCoder says.
#ifndef PARITY_TESTS_CAPI_OPERATIONS_H_
#define PARITY_TESTS_CAPI_OPERATIONS_H_

#include "parity.h"
#include "stripe.h"

namespace parity::capi {

void CheckEncode(parity_client* client, Stripe& stripe);
void CheckReconstruct(parity_client* client, Stripe& stripe);
// The stripe as it is, and with some bytes of it changed, which are put back.
void CheckVerify(parity_client* client, Stripe& stripe);
void CheckUpdate(parity_client* client, Stripe& stripe);
void CheckShardsNeeded(Stripe& stripe);

// All of them.
void CheckOperations(parity_client* client, Stripe& stripe);

}  // namespace parity::capi

#endif  // PARITY_TESTS_CAPI_OPERATIONS_H_
