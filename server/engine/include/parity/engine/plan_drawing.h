// The worker plan for people and for programs: what `parityd --print-topology` prints.
#ifndef PARITY_ENGINE_PLAN_DRAWING_H_
#define PARITY_ENGINE_PLAN_DRAWING_H_

#include <string>
#include <vector>

#include "parity/engine/worker_plan.h"

namespace parity::engine {

struct KernelChoice {
  std::string asked;  // "auto" or a name
  std::string selected;
  std::vector<std::string> usable;  // on this CPU, best first
};

// A drawing of some lines, the last one ended too: what decided the number of workers, the cores
// of each node with the worker on each, what is not used and why, and the kernels.
std::string DrawPlan(const WorkerPlan& plan, const KernelChoice& kernels);

// The same as a JSON object, indented, with a line end. deploy/README.md describes the keys; they
// may become more, but none changes its meaning.
std::string PlanAsJson(const WorkerPlan& plan, const KernelChoice& kernels);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_PLAN_DRAWING_H_
