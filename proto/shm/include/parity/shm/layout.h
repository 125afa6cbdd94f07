// What a client and a server on one host have in common in memory.
//
// Key decision: three memories, each with one writer of what matters. The client writes submissions
// and the server completions, so neither can be made to trust what the other has changed; the
// region, which holds shards, is written by both, and nothing in it is ever followed.
//
// The client's connection to the server's shared-memory socket (handshake.h) lives as long as the
// three, carries nothing after the handshake but wake-ups of one byte, and ends them.
#ifndef PARITY_SHM_LAYOUT_H_
#define PARITY_SHM_LAYOUT_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace parity::shm {

// Words of the submission ring, and of the longest record: half of it, so that one can be written
// while another is read.
inline constexpr size_t kSubmissionWords = 16'384;
inline constexpr size_t kMaxRecordWords = kSubmissionWords / 2;

// Completions that may wait for the client. A client that lets more records be under way than that
// is cut off.
inline constexpr size_t kCompletionEntries = 1'024;

// Stripes of a record: as many as a message of parity.v1 may hold.
inline constexpr uint32_t kMaxStripes = 1'024;

// Plans that a client may have defined, and the factors that they may have together: k * m, and k
// for every wanted shard.
inline constexpr size_t kMaxPlans = 64;
inline constexpr size_t kMaxPlanFactors = 65'536;

static_assert(std::atomic<uint64_t>::is_always_lock_free, "it is shared between processes");

// A count that only rises, on cache lines of its own: two, as processors fetch them in pairs.
struct alignas(128) Count {
  std::atomic<uint64_t> value{0};
};

// Written by the client alone.
//
// To submit, it writes records behind `tail`, word i of the stream at words[i % kSubmissionWords],
// and then raises `tail` (release) by as many words; never further than kSubmissionWords beyond
// Completions::taken_words. If Completions::sleeps is not 0 after a sequentially consistent fence,
// it sends one byte on the connection.
//
// To wait until there are n completions in all, it stores n to `sleeps`, then after such a fence
// looks at Completions::tail again, and if there are fewer sleeps until there is something to read
// on the connection: the server sends a byte when there are as many, or when nothing more is under
// way.
struct Submissions {
  Count tail;               // words published
  Count taken_completions;  // how many it has read
  Count sleeps;             // not 0: it wants a byte when so many completions are published
  alignas(128) std::array<std::atomic<uint64_t>, kSubmissionWords> words;
};

// How a record ended.
enum class Outcome : uint32_t {
  kDone = 0,
  kInconsistent = 1,     // to verify: done, and the report names mismatches
  kUnknownPlan = 2,      // no plan was defined in this place
  kBadPlan = 3,          // what was to be defined is no plan
  kBadStripes = 4,       // 0, or more than kMaxStripes
  kBadShardBytes = 5,    // 0, or more than the region has for all the shards
  kBadLength = 6,        // of shard `detail`: more than shard_bytes
  kOutsideRegion = 7,    // shard `detail`, or the report, is not in the region as a whole
  kOverlap = 8,          // output `detail` overlaps another output or a source
  kUnaligned = 9,        // the report's offset is no multiple of 8
  kUndetermined = 10,    // the present shards do not determine the wanted ones
  kRefused = 11,         // by the codec, for any other reason
  kTooManyFactors = 12,  // the plans would have more than kMaxPlanFactors
};

struct Completion {
  std::atomic<uint64_t> id;       // as in the record
  std::atomic<uint32_t> outcome;  // Outcome
  std::atomic<uint32_t> detail;
};

// Written by the server alone; the client cannot map it writable. Completion i of the stream is at
// entries[i % kCompletionEntries]; the server raises `tail` (release) when it is written.
struct Completions {
  Count taken_words;  // of the submissions, how many it has read
  Count tail;         // completions published
  Count sleeps;       // not 0: it wants a byte when submissions come
  alignas(128) std::array<Completion, kCompletionEntries> entries;
};

}  // namespace parity::shm

#endif  // PARITY_SHM_LAYOUT_H_
