// Who is at the other end of a connection.
#ifndef PARITY_RPC_PEER_H_
#define PARITY_RPC_PEER_H_

#include <string>

namespace parity::rpc {

// "HOST:PORT" or "[V6]:PORT"; of a Unix socket "pid P of uid U", as of when it connected; "unknown"
// if the connection has ended.
std::string PeerOf(int fd);

}  // namespace parity::rpc

#endif  // PARITY_RPC_PEER_H_
