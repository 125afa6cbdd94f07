/* What c99.c does, for the test in C++. */
#ifndef PARITY_TESTS_CAPI_C99_H_
#define PARITY_TESTS_CAPI_C99_H_

#include "parity.h"

#ifdef __cplusplus
extern "C" {
#endif

/* parity = shards[0] ^ shards[1]. */
parity_status EncodeFromC99(uint8_t* const* shards, uint8_t* parity, size_t shard_bytes);

#ifdef __cplusplus
}
#endif

#endif /* PARITY_TESTS_CAPI_C99_H_ */
