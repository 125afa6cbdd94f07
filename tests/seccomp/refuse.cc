// Runs a program in which some system calls fail with EPERM.
//   refuse CALL[,CALL...] PROGRAM [ARG]...      exit code 77: this kernel cannot; 2: usage
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "refused_calls.h"

int main(int argc, char** argv) {
  const std::map<std::string, long> known = {{"mbind", SYS_mbind},
                                             {"move_pages", SYS_move_pages},
                                             {"sched_setaffinity", SYS_sched_setaffinity},
                                             {"set_mempolicy", SYS_set_mempolicy}};
  if (argc < 3) {
    std::fputs("usage: refuse CALL[,CALL...] PROGRAM [ARG]...\n", stderr);
    return 2;
  }
  std::vector<long> calls;
  std::istringstream names(argv[1]);
  for (std::string name; std::getline(names, name, ',');) {
    const auto call = known.find(name);
    if (call == known.end()) {
      std::fprintf(stderr, "refuse: call: got %s, which is not in its list\n", name.c_str());
      return 2;
    }
    calls.push_back(call->second);
  }
  if (!parity::RefuseCalls(calls, EPERM)) {
    std::perror("refuse: seccomp");
    return 77;
  }
  execv(argv[2], argv + 2);
  std::perror(argv[2]);
  return 2;
}
