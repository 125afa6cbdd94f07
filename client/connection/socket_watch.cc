#include "socket_watch.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "grpc/support/sync.h"
#include "grpcpp/version_info.h"

// gRPC exports these and takes the object (ChannelArguments::SetSocketMutator), but does not
// install the header that declares them: src/core/lib/iomgr/socket_mutator.h.
static_assert(GRPC_CPP_VERSION_MAJOR == 1 && GRPC_CPP_VERSION_MINOR == 51,
              "compare what follows with the header of this version");
// NOLINTBEGIN(readability-identifier-naming): the names are gRPC's
struct grpc_mutate_socket_info;
struct grpc_socket_mutator_vtable {
  bool (*mutate_fd)(int fd, grpc_socket_mutator* mutator);
  int (*compare)(grpc_socket_mutator* a, grpc_socket_mutator* b);
  void (*destroy)(grpc_socket_mutator* mutator);
  bool (*mutate_fd_2)(const grpc_mutate_socket_info* info, grpc_socket_mutator* mutator);
};
struct grpc_socket_mutator {
  const grpc_socket_mutator_vtable* vtable;
  gpr_refcount refcount;
};
void grpc_socket_mutator_init(grpc_socket_mutator* mutator,
                              const grpc_socket_mutator_vtable* vtable);
// NOLINTEND(readability-identifier-naming)

namespace parity::client {
namespace {

struct Mutator : grpc_socket_mutator {
  std::shared_ptr<SocketWatch> watch;
};

constexpr grpc_socket_mutator_vtable kVtable = {
    [](int fd, grpc_socket_mutator* mutator) {
      return static_cast<Mutator*>(mutator)->watch->Take(fd);
    },
    [](grpc_socket_mutator* a, grpc_socket_mutator* b) { return a == b  ? 0
                                                                : a < b ? -1
                                                                        : 1; },
    [](grpc_socket_mutator* mutator) { delete static_cast<Mutator*>(mutator); },
    nullptr,
};

}  // namespace

SocketWatch::~SocketWatch() {
  if (const int descriptor = Release(); descriptor >= 0) close(descriptor);
}

void SocketWatch::Attach(const std::shared_ptr<SocketWatch>& watch,
                         grpc::ChannelArguments& arguments) {
  auto mutator = std::make_unique<Mutator>();
  grpc_socket_mutator_init(mutator.get(), &kVtable);
  mutator->watch = watch;
  arguments.SetSocketMutator(mutator.release());  // takes it
}

bool SocketWatch::Take(int socket) {
  if (has_taken_.exchange(true)) return false;
  const int duplicate = fcntl(socket, F_DUPFD_CLOEXEC, 0);
  descriptor_ = duplicate;
  return duplicate >= 0;
}

}  // namespace parity::client
