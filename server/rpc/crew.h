// The workers of a NUMA node, for jobs that are large enough to be shared.
#ifndef PARITY_RPC_CREW_H_
#define PARITY_RPC_CREW_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "parity/engine/job_share.h"

namespace parity::rpc {

class Worker;

// Thread-safe once all workers are added.
class NodeCrew final : public engine::Crew {
 public:
  void Add(Worker& worker) { workers_.push_back(&worker); }

  // Wakes those that have nothing to do.
  void Offer(const std::shared_ptr<engine::JobShare>& share) override;

 private:
  std::vector<Worker*> workers_;
};

// By node.
using NodeCrews = std::map<uint32_t, NodeCrew>;

}  // namespace parity::rpc

#endif  // PARITY_RPC_CREW_H_
