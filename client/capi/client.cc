// Clients, their memory, and what ends their calls.
#include <memory>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "boundary.h"
#include "handles.h"
#include "parity/codec/field_error.h"
#include "parity/kernels/dispatch.h"
#include "parity/version/version.h"

using parity::capi::AtBoundary;
using parity::capi::NullArgument;

const char* parity_version(void) { return parity::version::Version().data(); }

parity_status parity_client_new(const parity_options* options, parity_client** client,
                                parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    if (client == nullptr) return NullArgument("client");
    *client = nullptr;
    auto with = options == nullptr ? parity::client::ClientOptions() : options->options;
    const absl::StatusOr<const parity::kernels::KernelTable*> table =
        parity::kernels::SelectTable(with.kernels);
    if (!table.ok()) {
      absl::Status status = table.status();
      parity::codec::AttachField(status, "kernels");
      return status;
    }
    auto made = parity::client::Client::Make(std::move(with));
    if (!made.ok()) return made.status();
    *client = new parity_client{*std::move(made), (*table)->name, {}};
    return absl::OkStatus();
  });
}

void parity_client_free(parity_client* client) { delete client; }

const char* parity_kernels_in_use(const parity_client* client) {
  return client == nullptr ? nullptr : client->kernels;
}

parity_cancellation* parity_cancellation_new(void) {
  return new (std::nothrow) parity_cancellation;
}

void parity_cancellation_cancel(parity_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->cancellation.Cancel();
}

void parity_cancellation_free(parity_cancellation* cancellation) { delete cancellation; }

parity_status parity_buffer_allocate(parity_client* client, size_t bytes, parity_buffer** buffer,
                                     parity_error* error) {
  return AtBoundary(error, [&]() -> absl::Status {
    if (buffer == nullptr) return NullArgument("buffer");
    *buffer = nullptr;
    if (client == nullptr) return NullArgument("client");
    absl::StatusOr<parity::client::Buffer> memory = client->client->Allocate(bytes);
    if (!memory.ok()) return memory.status();
    *buffer = new parity_buffer{*std::move(memory)};
    return absl::OkStatus();
  });
}

uint8_t* parity_buffer_data(const parity_buffer* buffer) {
  return buffer == nullptr ? nullptr : buffer->buffer.data();
}

size_t parity_buffer_size(const parity_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->buffer.size();
}

int parity_buffer_is_shared(const parity_buffer* buffer) {
  return buffer != nullptr && buffer->buffer.is_shared() ? 1 : 0;
}

void parity_buffer_free(parity_buffer* buffer) { delete buffer; }
