#include "grpc_load.h"

#include <utility>

#include "stream_load.h"
#include "unary_load.h"

namespace parity::bench {

absl::StatusOr<std::vector<std::unique_ptr<Load>>> OpenGrpcLoads(const endpoint::Endpoint& server,
                                                                 Mode mode,
                                                                 const Workload& workload,
                                                                 int connections, int depth) {
  std::vector<std::unique_ptr<Load>> loads;
  const auto parts = static_cast<size_t>(connections);
  for (size_t part = 0; part < parts; ++part) {
    absl::StatusOr<std::unique_ptr<Load>> load;
    if (mode == Mode::kStream) {
      load = OpenStreamLoad(server, workload, {depth, 0, part, parts});
    } else {
      load = OpenUnaryLoad(server, workload, {depth, false, part, parts});
    }
    if (!load.ok()) return load.status();
    loads.push_back(*std::move(load));
  }
  return loads;
}

}  // namespace parity::bench
