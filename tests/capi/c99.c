/* parity.h as strict C99 sees it, before any other header. */
#include "parity.h"

#include "c99.h"

parity_status EncodeFromC99(uint8_t* const* shards, uint8_t* parity, size_t shard_bytes) {
  parity_geometry geometry = {PARITY_CODE_XOR, PARITY_MATRIX_DEFAULT, 2, 1, NULL, 0};
  parity_call_options options = {sizeof(options), 30000, NULL, NULL};
  const uint8_t* data[2];
  parity_client* client = NULL;
  parity_error error;
  parity_status status = parity_client_new(NULL, &client, &error);
  data[0] = shards[0];
  data[1] = shards[1];
  if (status == PARITY_OK) {
    status =
        parity_encode(client, &geometry, shard_bytes, data, NULL, 2, &parity, 1, &options, &error);
  }
  parity_client_free(client);
  return status;
}
