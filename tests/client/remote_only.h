// A client of one server and nothing else: what it computes, the server has computed.
#ifndef PARITY_TESTS_CLIENT_REMOTE_ONLY_H_
#define PARITY_TESTS_CLIENT_REMOTE_ONLY_H_

#include <memory>
#include <string>

#include "parity/client/client.h"

namespace parity::client {

inline ClientOptions RemoteOnly(const std::string& target) {
  ClientOptions options;
  options.targets = {target};
  options.policy = Policy::kRemoteOnly;
  return options;
}

// REQUIRES: `target` is one.
inline std::unique_ptr<Client> RemoteClient(const std::string& target) {
  return *Client::Make(RemoteOnly(target));
}

}  // namespace parity::client

#endif  // PARITY_TESTS_CLIENT_REMOTE_ONLY_H_
