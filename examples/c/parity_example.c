/* The life of a stripe, through libparity: encoded, damaged, repaired, verified, updated.
 *
 *     parity_example TARGET      unix:PATH or HOST:PORT of a parityd
 *
 * By the server if it can be reached, else in this process. Exits 0 only if everything holds. */
#include <parity.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kData = 4, kParity = 2, kShards = kData + kParity, kShardBytes = 65536 };

static parity_error error;

static void Fail(const char* what, const char* why) {
  fprintf(stderr, "parity_example: FAILED: %s: %s\n", what, why);
  exit(1);
}

static void Check(parity_status status, const char* what) {
  if (status != PARITY_OK) Fail(what, error.message);
}

static void Require(int holds, const char* what) {
  if (!holds) Fail(what, "does not hold");
}

static void PrintLine(void* user, const char* line) { fprintf((FILE*)user, "log: %s\n", line); }

static parity_client* Connect(const char* target) {
  parity_client* client;
  parity_options* options = parity_options_new();
  Require(options != NULL, "memory");
  Check(parity_options_add_target(options, target, &error), "target");
  Check(parity_options_set(options, "policy", "prefer-remote", &error), "policy");
  Check(parity_options_set(options, "deadline", "10s", &error), "deadline");
  Check(parity_options_set_log(options, PrintLine, stderr, &error), "log");
  Check(parity_client_new(options, &client, &error), "client");
  parity_options_free(options);
  return client;
}

static unsigned long long Counter(const parity_client* client, const char* name) {
  uint64_t value;
  parity_stats* stats;
  Check(parity_stats_take(client, &stats, &error), "stats");
  Check(parity_stats_get(stats, name, &value, &error), name);
  parity_stats_free(stats);
  return value;
}

int main(int argc, char** argv) {
  const parity_geometry geometry = {
      PARITY_CODE_REED_SOLOMON, PARITY_MATRIX_DEFAULT, kData, kParity, NULL, 0};
  const parity_call_options call = {sizeof(parity_call_options), 5000, NULL, NULL};
  const uint32_t present[] = {0, 2, 3, 5}, lost[] = {1, 4}, changed = 0;
  parity_client* client;
  parity_buffer* memory;
  parity_mismatch mismatches[kParity];
  size_t mismatch_count, i;
  int32_t suspect;
  uint8_t* shards[kShards + kParity]; /* and what is computed again */
  uint8_t *spare[kParity], *new_shard;
  const uint8_t* sources[kShards];

  if (argc != 2) {
    fprintf(stderr, "usage: parity_example TARGET\n");
    return 2;
  }
  client = Connect(argv[1]);

  /* Shared with the server, if it shares any: nothing is copied then. */
  Check(parity_buffer_allocate(client, (kShards + kParity + 1) * kShardBytes, &memory, &error),
        "memory");
  for (i = 0; i < kShards + kParity; ++i) {
    shards[i] = parity_buffer_data(memory) + i * kShardBytes;
  }
  spare[0] = shards[kShards];
  spare[1] = shards[kShards + 1];
  new_shard = spare[1] + kShardBytes;
  for (i = 0; i < kData * kShardBytes; ++i) shards[0][i] = (uint8_t)rand();
  printf("libparity %s, kernels %s, shared memory: %s\n", parity_version(),
         parity_kernels_in_use(client), parity_buffer_is_shared(memory) ? "yes" : "no");

  for (i = 0; i < kShards; ++i) sources[i] = shards[i];
  Check(parity_encode(client, &geometry, kShardBytes, sources, NULL, kData, &shards[kData], kParity,
                      &call, &error),
        "encode");
  printf("encode: %d+%d shards of %d bytes\n", kData, kParity, kShardBytes);

  for (i = 0; i < 4; ++i) sources[i] = shards[present[i]];
  Check(parity_reconstruct(client, &geometry, kShardBytes, present, sources, NULL, 4, lost, spare,
                           2, &call, &error),
        "reconstruct");
  Require(memcmp(spare[0], shards[1], kShardBytes) == 0, "reconstruct: shard 1 as it was");
  Require(memcmp(spare[1], shards[4], kShardBytes) == 0, "reconstruct: shard 4 as it was");
  printf("reconstruct: shards 1 and 4 are as they were\n");

  for (i = 0; i < kShards; ++i) sources[i] = shards[i];
  shards[2][1000] ^= 0x40;
  Check(parity_verify(client, &geometry, kShardBytes, sources, NULL, kShards, mismatches, kParity,
                      &mismatch_count, &suspect, &call, &error),
        "verify");
  Require(mismatch_count == 2 && mismatches[0].shard == 4 && mismatches[0].offset == 1000,
          "verify: both parity shards differ where a byte has changed");
  Require(suspect == 2, "verify: the suspect is shard 2");
  shards[2][1000] ^= 0x40;
  Check(parity_verify(client, &geometry, kShardBytes, sources, NULL, kShards, mismatches, kParity,
                      &mismatch_count, &suspect, &call, &error),
        "verify");
  Require(mismatch_count == 0 && suspect == -1, "verify: the stripe is consistent");
  printf("verify: a damaged shard 2 is found; put right, the stripe is consistent\n");

  memset(new_shard, 'n', kShardBytes);
  sources[1] = new_shard;
  Check(parity_update(client, &geometry, kShardBytes, &changed, &sources[0], NULL, &sources[1],
                      NULL, 1, &shards[kData], kParity, &call, &error),
        "update");
  sources[0] = new_shard;
  sources[1] = shards[1];
  Check(parity_encode(client, &geometry, kShardBytes, sources, NULL, kData, spare, kParity, &call,
                      &error),
        "encode");
  Require(memcmp(spare[0], shards[4], kShardBytes) == 0 &&
              memcmp(spare[1], shards[5], kShardBytes) == 0,
          "update: the parity that encoding gives");
  printf("update: parity by delta is what encoding gives\n");

  /* An error names the argument at fault. */
  Require(parity_encode(client, &geometry, kShardBytes, sources, NULL, 3, spare, kParity, &call,
                        &error) == PARITY_INVALID_ARGUMENT &&
              strcmp(error.field, "shards") == 0,
          "encode: 3 shards are refused");

  printf("computed by the server: %llu, here: %llu\n", Counter(client, "remote_slices"),
         Counter(client, "fallback_slices"));
  parity_buffer_free(memory);
  parity_client_free(client);
  return 0;
}
