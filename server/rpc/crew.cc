#include "crew.h"

#include "worker.h"

namespace parity::rpc {

void NodeCrew::Offer(const std::shared_ptr<engine::JobShare>& share) {
  for (Worker* worker : workers_) worker->TakePart(share);
}

}  // namespace parity::rpc
