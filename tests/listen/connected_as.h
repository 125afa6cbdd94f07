// Connections of other users.
#ifndef PARITY_TESTS_LISTEN_CONNECTED_AS_H_
#define PARITY_TESTS_LISTEN_CONNECTED_AS_H_

#include <grp.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "parity/endpoint/descriptor.h"

namespace parity::testing {

struct Identity {
  uid_t user;
  gid_t group;
  std::vector<gid_t> further_groups;
};

// A stream connected to a Unix socket by a process with this identity, which only root can give it.
// The socket remembers it, though it is this process that has the descriptor.
inline endpoint::Descriptor ConnectedAs(const Identity& identity, const std::string& path) {
  endpoint::Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const pid_t child = fork();
  if (child == 0) {
    // The parent may have threads: nothing here takes a lock.
    const bool connected =
        setgroups(identity.further_groups.size(), identity.further_groups.data()) == 0 &&
        setgid(identity.group) == 0 && setuid(identity.user) == 0 &&
        connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    _exit(connected ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "uid " << identity.user << " could not connect to " << path;
  return connection;
}

}  // namespace parity::testing

#endif  // PARITY_TESTS_LISTEN_CONNECTED_AS_H_
