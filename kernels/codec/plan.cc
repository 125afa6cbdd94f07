#include "plan.h"

#include "absl/container/inlined_vector.h"
#include "runs.h"

namespace parity::codec {
namespace {

using Pointers = absl::InlinedVector<uint8_t*, 16>;

// Calls plan(sources, dst, bytes) for each run of the shards, of which dst are the outputs' parts.
template <class PlanRun>
void ForEachRun(absl::Span<const Shard> shards, size_t bytes, absl::Span<uint8_t* const> outputs,
                PlanRun plan) {
  RunWalker runs(shards);
  Pointers dst(outputs.begin(), outputs.end());
  while (bytes > 0) {
    const size_t run = runs.Next(bytes);
    plan(runs.sources(), dst, run);
    for (uint8_t*& output : dst) output += run;
    bytes -= run;
  }
}

// Whether every shard is one segment of the whole length, as a caller's own memory mostly is: then
// there is one run, and walking the shards would take longer than computing a short stripe.
bool AreContiguous(absl::Span<const Shard> shards, size_t bytes) {
  for (const Shard& shard : shards) {
    if (shard.size() != 1 || shard.front().bytes != bytes) return false;
  }
  return bytes > 0;
}

}  // namespace

void PlanGenerate(absl::Span<const Shard> sources, size_t bytes, absl::Span<uint8_t* const> outputs,
                  const std::shared_ptr<const Factors>& factors, Batch& batch) {
  if (AreContiguous(sources, bytes)) {
    absl::InlinedVector<const uint8_t*, 16> starts;
    starts.reserve(sources.size());
    for (const Shard& source : sources) starts.push_back(source.front().data);
    batch.Generate(starts, outputs, factors, bytes);
    return;
  }
  ForEachRun(sources, bytes, outputs,
             [&](absl::Span<const uint8_t* const> run, const Pointers& dst, size_t run_bytes) {
               batch.Generate(run, dst, factors, run_bytes);
             });
}

void PlanUpdate(absl::Span<const Shard> old_sources, absl::Span<const Shard> new_sources,
                size_t bytes, absl::Span<uint8_t* const> outputs,
                const std::shared_ptr<const Factors>& factors, Batch& batch) {
  absl::InlinedVector<Shard, 16> sources(old_sources.begin(), old_sources.end());
  sources.insert(sources.end(), new_sources.begin(), new_sources.end());
  const size_t changed = old_sources.size();
  ForEachRun(sources, bytes, outputs,
             [&](absl::Span<const uint8_t* const> run, const Pointers& dst, size_t run_bytes) {
               batch.Update(run.first(changed), run.subspan(changed), dst, factors, run_bytes);
             });
}

}  // namespace parity::codec
