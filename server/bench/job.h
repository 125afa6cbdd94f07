// What one request asks for: the shape of its stripes.
#ifndef PARITY_SERVER_BENCH_JOB_H_
#define PARITY_SERVER_BENCH_JOB_H_

#include <cstddef>

#include "parity/codec/geometry.h"

namespace parity::bench {

struct Job {
  codec::Geometry geometry;
  size_t shard_bytes;
  size_t stripes = 1;  // of one request

  // Of the data shards of one request, all stripes together.
  size_t source_bytes() const { return geometry.data_shards() * shard_bytes * stripes; }
  size_t parity_bytes() const { return geometry.parity_shards() * shard_bytes * stripes; }
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_JOB_H_
