// Who is at the other end of a connection.
#ifndef PARITY_LISTEN_PEER_H_
#define PARITY_LISTEN_PEER_H_

#include <string>

namespace parity::listen {

// "HOST:PORT" or "[V6]:PORT"; of a Unix socket "pid P of uid U", as of when it connected; "unknown"
// if the connection has ended.
std::string PeerOf(int fd);

}  // namespace parity::listen

#endif  // PARITY_LISTEN_PEER_H_
