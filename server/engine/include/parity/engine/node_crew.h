// The workers of a NUMA node, for jobs that are large enough to be shared.
#ifndef PARITY_ENGINE_NODE_CREW_H_
#define PARITY_ENGINE_NODE_CREW_H_

#include <memory>
#include <vector>

#include "parity/engine/job_share.h"

namespace parity::engine {

// Thread-safe once all workers are added. Worker::TakePart(share) is to wake a worker that has
// nothing to do.
template <class Worker>
class NodeCrew final : public Crew {
 public:
  void Add(Worker& worker) { workers_.push_back(&worker); }
  void Offer(const std::shared_ptr<JobShare>& share) override {
    for (Worker* worker : workers_) worker->TakePart(share);
  }

 private:
  std::vector<Worker*> workers_;
};

}  // namespace parity::engine

#endif  // PARITY_ENGINE_NODE_CREW_H_
