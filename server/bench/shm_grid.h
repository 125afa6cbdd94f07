// What is measured of shared memory: every row, as data.
#ifndef PARITY_SERVER_BENCH_SHM_GRID_H_
#define PARITY_SERVER_BENCH_SHM_GRID_H_

#include <cstddef>
#include <string>
#include <vector>

#include "job.h"
#include "parity/codec/geometry.h"

namespace parity::bench {

// What the client does with the slots of the region in which its jobs lie.
enum class Access {
  kReused,   // as many slots as jobs under way, again and again: they stay in a cache if they fit
  kWalked,   // many more slots, one after the other: sources come from far
  kWritten,  // as kReused, but a word of every cache line of the sources is written before each
             // job, and one of every line of the parity read after it. The code is XOR
  kPaused,   // as kReused, with a pause before each job that lets both sides sleep
};
const char* NameOf(Access access);

struct ShmRow {
  codec::Geometry geometry;
  size_t shard_bytes;
  size_t stripes;  // of a job
  size_t depth;    // jobs under way
  Access access;
  bool beside_unary;  // whether a gRPC call at a time is measured as well

  Job job() const { return {geometry, shard_bytes, stripes}; }
  size_t slots() const;
  // Of the region: slots lie back to back.
  size_t slot_bytes() const { return job().source_bytes() + job().parity_bytes(); }
  size_t region_bytes() const { return slots() * slot_bytes(); }
};

// As in "shm/xor4+1/shard=65536/stripes=16/depth=4/walked".
std::string NameOf(const ShmRow& row);

std::vector<ShmRow> FullShmGrid();
// The rows that are quoted.
std::vector<ShmRow> QuickShmGrid();

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_SHM_GRID_H_
