// Tells the service manager that started the process, systemd for example, how it is. Nothing
// happens where there is none: only if the environment has NOTIFY_SOCKET.
#ifndef PARITY_SERVER_SERVICE_MANAGER_H_
#define PARITY_SERVER_SERVICE_MANAGER_H_

#include "absl/time/time.h"

namespace parity::service_manager {

// The process serves.
void TellServing();

// The process stops, which takes at most `limit`: the manager must not kill it before.
void TellStopping(absl::Duration limit);

}  // namespace parity::service_manager

#endif  // PARITY_SERVER_SERVICE_MANAGER_H_
