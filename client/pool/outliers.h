// Which servers to leave out because they fail much oftener than they should.
//
// Key decision: never more than half. When most servers fail the fault is rather the network's or
// the caller's, and leaving them all out would turn a bad time into an outage.
#ifndef PARITY_CLIENT_POOL_OUTLIERS_H_
#define PARITY_CLIENT_POOL_OUTLIERS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "server_health.h"

namespace parity::client {

// The indices of the outliers to leave out, those that fail oftenest first and then in order. They
// and the servers that are not kUsable, which are out already, are together at most half of all,
// rounded down, or else there are none of them; so the only server is never left out.
std::vector<size_t> OutliersToEject(absl::Span<const ServerHealth* const> servers,
                                    ServerHealth::Clock::time_point now);

}  // namespace parity::client

#endif  // PARITY_CLIENT_POOL_OUTLIERS_H_
