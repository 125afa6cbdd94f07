// What the opaque handles of parity.h are.
#ifndef PARITY_CLIENT_CAPI_HANDLES_H_
#define PARITY_CLIENT_CAPI_HANDLES_H_

#include <memory>

#include "fork_guard.h"
#include "parity.h"
#include "parity/client/buffer.h"
#include "parity/client/call_options.h"
#include "parity/client/client.h"

struct parity_options {
  parity::client::ClientOptions options;
};

struct parity_client {
  std::unique_ptr<parity::client::Client> client;
  const char* kernels;  // static
  const parity::client::ForkGuard guard;
};

struct parity_cancellation {
  parity::client::Cancellation cancellation;
};

struct parity_buffer {
  parity::client::Buffer buffer;
};

struct parity_stats {
  parity::client::ClientStats stats;
};

#endif  // PARITY_CLIENT_CAPI_HANDLES_H_
