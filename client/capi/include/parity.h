/* Parity of stripes, for programs in any language that can call C: computed by a parityd, over gRPC
 * or in memory shared with it, or by the same kernels in this process.
 *
 * Key decision: plain C99 in which no layout can change under a program that is compiled already.
 * Handles are opaque, options and counters have names, and pointers to shards are passed on as they
 * are: nothing is copied here.
 *
 * Every function may be called by any thread at any time, also at once with the same client. A
 * handle must not be freed while a call uses it; to free NULL does nothing. No function throws. A
 * pointer that must not be NULL but is, is PARITY_INVALID_ARGUMENT naming the argument, or where
 * there is no status, what the function says. Memory for results is the caller's, and stays as it
 * is on an error unless said otherwise.
 *
 * After fork() only the parent may use a client: in the child its calls are
 * PARITY_FAILED_PRECONDITION, and to free it leaves all as it is. The child may make its own. */
#ifndef PARITY_H_
#define PARITY_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PARITY_API __attribute__((visibility("default")))
#else
#define PARITY_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---- */

/* How a call ended. The values are those of gRPC; a server may answer any of them. */
typedef int32_t parity_status;
enum {
  PARITY_OK = 0,
  PARITY_CANCELLED = 1, /* by parity_cancellation_cancel */
  PARITY_UNKNOWN = 2,
  PARITY_INVALID_ARGUMENT = 3,  /* an argument is wrong: parity_error names it */
  PARITY_DEADLINE_EXCEEDED = 4, /* of the call */
  PARITY_NOT_FOUND = 5,
  PARITY_ALREADY_EXISTS = 6,
  PARITY_PERMISSION_DENIED = 7,
  PARITY_RESOURCE_EXHAUSTED = 8, /* no memory; or remote-only, and the server is overloaded */
  PARITY_FAILED_PRECONDITION =
      9, /* the shards left do not suffice; or a client used after fork() */
  PARITY_ABORTED = 10,
  PARITY_OUT_OF_RANGE = 11,
  PARITY_UNIMPLEMENTED = 12,
  PARITY_INTERNAL = 13,
  PARITY_UNAVAILABLE = 14, /* remote-only, and no server can be reached */
  PARITY_DATA_LOSS = 15,   /* a shard was damaged on the way, more than once */
  PARITY_UNAUTHENTICATED = 16
};

/* Why a call failed, in the caller's memory, or NULL if it does not want to know. Both are texts
 * that end with a 0 byte, cut off if they are longer, and empty when the call has succeeded. */
typedef struct parity_error {
  char field[64]; /* the argument at fault, such as "shards[3]" or "geometry.code"; empty: none */
  char message[1024];
} parity_error;

/* "0.1.0". Static. */
PARITY_API const char* parity_version(void);

/* ---- Options ---- */

/* What a client is made with. Not to be changed by two threads at once. */
typedef struct parity_options parity_options;

/* The defaults: no server, so all is computed in this process. The caller's, for
 * parity_options_free. NULL if there is no memory. */
PARITY_API parity_options* parity_options_new(void);
PARITY_API void parity_options_free(parity_options* options);

/* Adds a server: HOST:PORT, [V6]:PORT, unix:PATH (which uses shared memory by itself), or
 * dns:///HOST:PORT for every address of a name. At most 64. Checked by parity_client_new. */
PARITY_API parity_status parity_options_add_target(parity_options* options, const char* target,
                                                   parity_error* error);

/* Sets the option called `name`. Durations are texts like "250ms", "5s" or "1m30s".
 *
 *   policy               prefer-remote    remote-only: by a server, or not at all
 *                                         prefer-remote: here if no server can
 *                                         prefer-local: here while CPUs are to be had
 *                                         fastest: wherever it has taken less time
 *   deadline             30s              the longest that a call may take
 *   attempt_timeout      5s               the longest that one attempt at a server may take
 *   max_attempts         8                at servers, for one slice of a stripe; 1 to 100
 *   retry_ratio          0.1              tokens for further attempts that a success earns; 0 to 1
 *   retry_tokens         100              the most of those, and at first; 0 to 1000000
 *   first_backoff        20ms             between attempts if there is no other server, doubling
 *   longest_backoff      1s
 *   hedge_after          0                asks a second server to reconstruct and verify; 0: never
 *   connections          1                to each server over TCP; 1 to 64
 *   resolve_interval     30s              how often names are looked up
 *   slice_bytes          8388608          a larger stripe is sent in slices; at least 65536
 *   slices_in_flight     2                1 to 64
 *   kernels              auto             of this process: one of those that a wrong name lists
 *   keepalive            30s              a silent server is pinged; 0: never
 *   checksum_from_bytes  0                stripes of so many bytes travel with CRC32C
 *   region_bytes         67108864         of memory shared with a server; 0: none
 *   spin                 50us             looks for an answer in shared memory before it sleeps
 *   tls_ca               ""               PEM file of those whom servers' certificates are trusted
 *                                         by; TCP is encrypted. "": it is not
 *   tls_certificate      ""               PEM file that the client shows, with its chain
 *   tls_key              ""               PEM file with the key of that certificate
 *   tls_server_name      ""               what a server's certificate must be for; "": its host.
 *                                         New connections read the files again
 *
 * PARITY_INVALID_ARGUMENT naming "name" if there is no such option, else the option if it cannot
 * have the value. Ranges are checked by parity_client_new. */
PARITY_API parity_status parity_options_set(parity_options* options, const char* name,
                                            const char* value, parity_error* error);

/* Has `log` told, with `user`, when servers fail and come back, and when stripes are computed here
 * instead: a line without its end, which is gone after the call. By any thread that makes a call;
 * it must not call the client. NULL, the default: lines to standard error. */
typedef void (*parity_log)(void* user, const char* line);
PARITY_API parity_status parity_options_set_log(parity_options* options, parity_log log, void* user,
                                                parity_error* error);

/* ---- Clients ---- */

typedef struct parity_client parity_client;

/* *client = a client, for parity_client_free; NULL on an error. It connects on first use. Options,
 * which may be freed afterwards, may be NULL: the defaults. PARITY_INVALID_ARGUMENT naming the
 * option, such as "deadline" or "targets[1]". Cost: a thread, unless there are no servers. */
PARITY_API parity_status parity_client_new(const parity_options* options, parity_client** client,
                                           parity_error* error);
/* Buffers of the client stay. */
PARITY_API void parity_client_free(parity_client* client);

/* Which kernels compute in this process, such as "avx512". Static. NULL if `client` is. */
PARITY_API const char* parity_kernels_in_use(const parity_client* client);

/* ---- Stripes ---- */

enum { PARITY_CODE_XOR = 1, PARITY_CODE_RAID6 = 2, PARITY_CODE_REED_SOLOMON = 3 };
enum {
  PARITY_MATRIX_DEFAULT = 0,                /* Cauchy for Reed-Solomon; the others have none */
  PARITY_MATRIX_CAUCHY = 1,                 /* ISA-L's gf_gen_cauchy1_matrix */
  PARITY_MATRIX_VANDERMONDE = 2,            /* ISA-L's gf_gen_rs_matrix */
  PARITY_MATRIX_SYSTEMATIC_VANDERMONDE = 3, /* MinIO's, klauspost/reedsolomon's, Backblaze's */
  PARITY_MATRIX_CUSTOM = 4                  /* `generator` */
};

/* A stripe: k data shards, numbered 0 to k-1, and m parity shards, k to k+m-1. k + m is at most 255
 * + 1 for XOR, 255 + 2 for RAID-6 (m is 2), and 256 in all for Reed-Solomon. Errors name
 * "geometry.code", "geometry.matrix", "geometry.data_shards", "geometry.parity_shards" or
 * "geometry.generator". */
typedef struct parity_geometry {
  uint32_t code;
  uint32_t matrix;
  uint32_t data_shards;   /* k */
  uint32_t parity_shards; /* m */
  /* Of a custom matrix, else NULL: generator[r * k + j] is the factor, in GF(2^8) with polynomial
   * 0x11d, of data shard j in parity shard r. A call copies it. */
  const uint8_t* generator;
  size_t generator_bytes; /* k * m */
} parity_geometry;

/* Ends calls; once cancelled it stays so. */
typedef struct parity_cancellation parity_cancellation;
PARITY_API parity_cancellation* parity_cancellation_new(void); /* NULL if there is no memory */
/* Calls that have it end soon, with PARITY_CANCELLED unless they were done. */
PARITY_API void parity_cancellation_cancel(parity_cancellation* cancellation);
PARITY_API void parity_cancellation_free(parity_cancellation* cancellation);

/* How one call is made; NULL instead: as zeros say. */
typedef struct parity_call_options {
  size_t struct_bytes; /* sizeof(parity_call_options), so that it can grow; not 0 */
  /* From now on, if sooner than the client's deadline; 0: the client's alone; less: it has passed.
   */
  int64_t deadline_ms;
  parity_cancellation* cancellation; /* outlives the call; NULL: nothing cancels it */
  /* The W3C traceparent that servers are told, but not through shared memory. NULL or "": none.
   * PARITY_INVALID_ARGUMENT naming "traceparent" if it is not well-formed. */
  const char* traceparent;
} parity_call_options;

/* For all of the following: shards are arrays of pointers; shards[i] has lengths[i] bytes, or
 * shard_bytes if `lengths` is NULL. A shorter one counts as followed by zeros up to shard_bytes, at
 * least 1, and may be NULL if it has none. Outputs have shard_bytes and must not overlap a shard or
 * each other. Any alignment will do. All memory stays the caller's and is used during the call
 * only.
 *
 * PARITY_INVALID_ARGUMENT names the argument, with its index if there is one; after any error the
 * contents of outputs are unspecified: never use them. A call returns by its deadline, or shortly
 * after. */

/* parity[r] = parity shard k + r of the k data shards. shard_count is k, parity_count is m. */
PARITY_API parity_status parity_encode(parity_client* client, const parity_geometry* geometry,
                                       size_t shard_bytes, const uint8_t* const* shards,
                                       const size_t* lengths, size_t shard_count,
                                       uint8_t* const* parity, size_t parity_count,
                                       const parity_call_options* options, parity_error* error);

/* out[i] = shard wanted[i], from `shards`, of which shards[i] is shard present[i]: present_count of
 * both, wanted_count of wanted and out. PARITY_FAILED_PRECONDITION if these do not determine the
 * wanted ones. */
PARITY_API parity_status parity_reconstruct(parity_client* client, const parity_geometry* geometry,
                                            size_t shard_bytes, const uint32_t* present,
                                            const uint8_t* const* shards, const size_t* lengths,
                                            size_t present_count, const uint32_t* wanted,
                                            uint8_t* const* out, size_t wanted_count,
                                            const parity_call_options* options,
                                            parity_error* error);

/* Where a parity shard is not what the data shards give. */
typedef struct parity_mismatch {
  uint64_t offset; /* the first byte of the shard that differs */
  uint32_t shard;
  uint32_t reserved; /* 0 */
} parity_mismatch;

/* Whether all k + m shards belong together. *mismatch_count = the parity shards that differ, 0 if
 * the stripe is consistent; the first mismatch_capacity of them, by shard, go to `mismatches`: m
 * are always enough, and with 0 it may be NULL. *suspect, unless NULL, = the one shard whose
 * corruption explains the lowest offset that differs; -1 if there is none, or more than one. */
PARITY_API parity_status parity_verify(parity_client* client, const parity_geometry* geometry,
                                       size_t shard_bytes, const uint8_t* const* shards,
                                       const size_t* lengths, size_t shard_count,
                                       parity_mismatch* mismatches, size_t mismatch_capacity,
                                       size_t* mismatch_count, int32_t* suspect,
                                       const parity_call_options* options, parity_error* error);

/* Brings the m parity shards up to date, in place, where data shards have changed: old_shards[i]
 * and new_shards[i] are data shard changed[i] before and after, changed_count of each. Reads less
 * than parity_encode if fewer than about half of the data shards have changed. After an error the
 * parity is as it was or unspecified: encode anew. */
PARITY_API parity_status parity_update(parity_client* client, const parity_geometry* geometry,
                                       size_t shard_bytes, const uint32_t* changed,
                                       const uint8_t* const* old_shards, const size_t* old_lengths,
                                       const uint8_t* const* new_shards, const size_t* new_lengths,
                                       size_t changed_count, uint8_t* const* parity,
                                       size_t parity_count, const parity_call_options* options,
                                       parity_error* error);

/* needed[0..*needed_count) = which of the available shards are to be read to compute those wanted,
 * ascending; available_count entries are always enough. Asks no server. PARITY_FAILED_PRECONDITION
 * if the available ones do not determine those wanted; PARITY_INVALID_ARGUMENT naming "needed" if
 * needed_capacity is less than *needed_count, which is set then, too. */
PARITY_API parity_status parity_shards_needed(const parity_geometry* geometry,
                                              const uint32_t* available, size_t available_count,
                                              const uint32_t* wanted, size_t wanted_count,
                                              uint32_t* needed, size_t needed_capacity,
                                              size_t* needed_count, parity_error* error);

/* ---- Memory ---- */

typedef struct parity_buffer parity_buffer;

/* *buffer = memory for shards, for parity_buffer_free; NULL on an error. It begins on a page, its
 * contents unspecified, and is shared with the server if there is one target, a Unix socket, that
 * shares any and has room; else it is ordinary. Shards in shared memory are computed where they
 * lie; outputs too if they begin on a page and have whole pages. Others are copied. May connect.
 * PARITY_RESOURCE_EXHAUSTED. */
PARITY_API parity_status parity_buffer_allocate(parity_client* client, size_t bytes,
                                                parity_buffer** buffer, parity_error* error);
PARITY_API uint8_t* parity_buffer_data(const parity_buffer* buffer); /* NULL if `buffer` is */
PARITY_API size_t parity_buffer_size(const parity_buffer* buffer);   /* 0 if it is NULL */
/* 1 if it was shared with the server when it was allocated, else 0. */
PARITY_API int parity_buffer_is_shared(const parity_buffer* buffer);
/* Also when the client or the server is gone. */
PARITY_API void parity_buffer_free(parity_buffer* buffer);

/* ---- Counters ---- */

/* A snapshot of what a client has counted since it was made. */
typedef struct parity_stats parity_stats;

/* *stats = a snapshot, for parity_stats_free; NULL on an error. */
PARITY_API parity_status parity_stats_take(const parity_client* client, parity_stats** stats,
                                           parity_error* error);
PARITY_API void parity_stats_free(parity_stats* stats);

/* *value = the counter called `name`: calls, failed_calls, remote_slices (by servers), local_slices
 * (here, by choice), fallback_slices (here, as no server could), retries, retries_refused,
 * pushbacks, hedges, hedges_won or damaged_shards. PARITY_INVALID_ARGUMENT naming "name" if there
 * is none. */
PARITY_API parity_status parity_stats_get(const parity_stats* stats, const char* name,
                                          uint64_t* value, parity_error* error);

/* The servers that were known, numbered from 0; 0 if `stats` is NULL. */
PARITY_API size_t parity_stats_server_count(const parity_stats* stats);
/* Of `stats`. NULL if there is no such server. */
PARITY_API const char* parity_stats_server_address(const parity_stats* stats, size_t server);
/* *value = of one server, as parity_stats_get: attempts, failures, bytes_in_flight, or usable (1;
 * 0: given up for the moment). Also PARITY_INVALID_ARGUMENT naming "server". */
PARITY_API parity_status parity_stats_server_get(const parity_stats* stats, size_t server,
                                                 const char* name, uint64_t* value,
                                                 parity_error* error);

/* *length = the bytes of what the client has counted as Prometheus text, without the 0 byte that
 * ends it: metrics parity_client_*, for the program's own exporter to append. As much as fits goes
 * to `text`, which may be NULL if `capacity` is 0: with *length >= capacity it is cut off. */
PARITY_API parity_status parity_client_metrics(const parity_client* client, char* text,
                                               size_t capacity, size_t* length,
                                               parity_error* error);

#ifdef __cplusplus
}
#endif

#endif /* PARITY_H_ */
