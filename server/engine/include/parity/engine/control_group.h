// Where the limits of this process's control group are.
#ifndef PARITY_ENGINE_CONTROL_GROUP_H_
#define PARITY_ENGINE_CONTROL_GROUP_H_

#include <string>
#include <vector>

namespace parity::engine {

// The directories of this process's group and of those above it, up to `root`, where the hierarchy
// of `controller` is mounted: all of cgroup v2, and v1's under its name. A limit of any of them
// holds. Inside a container `root` is mostly the container's own group, and the path that
// `membership` (/proc/self/cgroup) has is none under it: then just that one is there.
std::vector<std::string> GroupDirectories(const std::string& controller, const std::string& root,
                                          const std::string& membership);

}  // namespace parity::engine

#endif  // PARITY_ENGINE_CONTROL_GROUP_H_
