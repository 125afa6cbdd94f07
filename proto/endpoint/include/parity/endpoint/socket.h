// How both sides set up the sockets of their connections.
#ifndef PARITY_ENDPOINT_SOCKET_H_
#define PARITY_ENDPOINT_SOCKET_H_

namespace parity::endpoint {

// Sets what large messages need. A setting that is refused is left as it is. REQUIRES: `fd` is
// connected; it need not be for a Unix socket.
//
// On a Unix socket: a send buffer of 1 MiB, as far as the system allows, since the default of 208
// KiB halves the rate (5.8 against 2.6 GB/s at 256 KiB shards on 2 Zen 4 cores).
//
// On TCP: no delay; and where both addresses are the loopback's, or the same, congestion control
// "cubic", since bbr, the default of some systems, paces what has no network to spare (2-3 against
// 5-6 GB/s on the loopback of the same machine). Between machines that choice is the
// administrator's.
void TuneSocket(int fd, bool is_unix);

}  // namespace parity::endpoint

#endif  // PARITY_ENDPOINT_SOCKET_H_
