#include "stripe_run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace parity::client {
namespace {

// Bytes that are copied to and from the staging memory for one slice: few enough to be in a cache
// when the server reads them, many enough that a slice costs little by itself.
constexpr size_t kSliceBytes = size_t{1} << 20;

// Slices begin at multiples of that where they can.
constexpr size_t kColumnsStep = 4096;
constexpr size_t kLine = 64;

constexpr size_t RoundUp(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// Between staged shards. A line more than they need, lest all of them begin in the same set of the
// cache.
constexpr size_t StrideOf(size_t columns) { return RoundUp(columns, kLine) + kLine; }

// Of the part of a shard that is in [begin, end).
size_t BytesIn(ShardBytes shard, size_t begin, size_t end) {
  return std::clamp(shard.size(), begin, end) - begin;
}

}  // namespace

size_t StripeRun::ReportRoom() const {
  return is_verify() ? RoundUp(Ring::ReportBytes(request_.geometry, 1), kLine) : 0;
}

size_t StripeRun::StagingOf(size_t columns) const {
  return ReportRoom() + way_.staged * StrideOf(columns);
}

bool StripeRun::OutputsAreWholePages(const SharedRing& ring) const {
  const size_t rest = request_.shard_bytes - done_;
  if (rest % ring.page() != 0) return false;
  return std::all_of(request_.outputs.begin(), request_.outputs.end(), [&](uint8_t* output) {
    uint8_t* const from = output + done_;
    // The server lets no output take the place of a shard.
    const bool is_a_shard =
        std::any_of(request_.shards.begin(), request_.shards.end(),
                    [output](const ShardBytes shard) { return shard.data() == output; });
    return reinterpret_cast<uintptr_t>(from) % ring.page() == 0 && !is_a_shard &&
           ring.Contains(from, rest);
  });
}

absl::Status StripeRun::FindWay(const SharedRing& ring) {
  const size_t rest = request_.shard_bytes - done_;
  const size_t shards = request_.shards.size() + request_.outputs.size();
  way_.source_in_place.clear();
  size_t staged_sources = 0;
  for (const ShardBytes source : request_.shards) {
    const size_t bytes = BytesIn(source, done_, request_.shard_bytes);
    const bool in_place = bytes == 0 || ring.Contains(source.data() + done_, bytes);
    way_.source_in_place.push_back(in_place);
    if (!in_place) ++staged_sources;
  }
  // An update reads and writes its parity: if it were lost half way, nobody could say what of the
  // parity is new.
  way_.outputs_in_place = !is_update() && OutputsAreWholePages(ring);
  for (;;) {
    way_.staged = staged_sources + (way_.outputs_in_place ? 0 : request_.outputs.size());
    // The server wants room in the region for all shards, as if none lay in another.
    size_t most = ring.memory().size() / shards;
    const size_t room = std::min(kSliceBytes, ring.most_staging());
    if (ReportRoom() > room) most = 0;
    if (way_.staged > 0 && most > 0) {
      const size_t each = (room - ReportRoom()) / way_.staged;
      most = std::min(most, each < 2 * kLine ? 0 : each / kLine * kLine - kLine);
    }
    if (most >= rest) {
      way_.columns = rest;
      return absl::OkStatus();
    }
    const size_t step = most >= kColumnsStep ? std::max(kColumnsStep, ring.page()) : kLine;
    most = most / step * step;
    // Parts of outputs that are used in place must be whole pages too.
    if (step < ring.page() && way_.outputs_in_place) {
      way_.outputs_in_place = false;
      continue;
    }
    if (most == 0) {
      return absl::ResourceExhaustedError(absl::StrCat("shared memory of ", ring.memory().size(),
                                                       " bytes is too little for ", shards,
                                                       " shards"));
    }
    // About equally long slices.
    const size_t slices = (rest + most - 1) / most;
    way_.columns = std::min(most, RoundUp((rest + slices - 1) / slices, step));
    return absl::OkStatus();
  }
}

absl::Status StripeRun::Run(SharedRing& ring, absl::Time deadline) {
  if (absl::Status status = FindWay(ring); !status.ok()) return status;
  std::array<Slice, kDepth> slices;
  size_t first = 0;  // of those under way
  size_t count = 0;
  size_t next = done_;
  absl::Status result;
  // Ends when nothing is under way: its memory is the server's until then.
  while (count > 0 || (result.ok() && next < request_.shard_bytes && !AllDiffer())) {
    const bool more = result.ok() && next < request_.shard_bytes && !AllDiffer();
    if (more && count < kDepth) {
      Slice& slice = slices[(first + count) % kDepth];
      slice.begin = next;
      slice.end = std::min(next + way_.columns, request_.shard_bytes);
      slice.staging_bytes = StagingOf(slice.end - slice.begin);
      slice.staging = nullptr;
      bool can_start = true;
      if (slice.staging_bytes > 0 && count > 0) {
        slice.staging = ring.TryStage(slice.staging_bytes);
        can_start = slice.staging != nullptr;
      } else if (slice.staging_bytes > 0) {
        const absl::StatusOr<uint8_t*> staged = ring.Stage(slice.staging_bytes, deadline);
        if (!staged.ok()) return staged.status();
        slice.staging = *staged;
      }
      if (can_start) {
        result = Start(ring, slice, deadline);
        if (result.ok()) {
          ++count;
          next = slice.end;
        } else if (slice.staging != nullptr) {
          ring.Unstage(slice.staging, slice.staging_bytes);
        }
        continue;
      }
    }
    Slice& slice = slices[first];
    if (absl::Status lost = ring.Await(slice.job, deadline); !lost.ok()) return lost;
    if (result.ok()) result = Finish(slice);
    if (slice.staging != nullptr) ring.Unstage(slice.staging, slice.staging_bytes);
    first = (first + 1) % kDepth;
    --count;
  }
  if (result.ok()) done_ = request_.shard_bytes;
  return result;
}

absl::Status StripeRun::Start(SharedRing& ring, Slice& slice, absl::Time deadline) {
  const size_t bytes = slice.end - slice.begin;
  const size_t stride = StrideOf(bytes);
  slice.report = slice.staging;
  uint8_t* to = slice.staging + ReportRoom();
  sources_.clear();
  lengths_.clear();
  bool all_full = true;
  for (size_t i = 0; i < request_.shards.size(); ++i) {
    const ShardBytes source = request_.shards[i];
    const size_t there = BytesIn(source, slice.begin, slice.end);
    if (there < bytes) all_full = false;
    lengths_.push_back(there);
    if (way_.source_in_place[i]) {
      sources_.push_back(there == 0 ? nullptr : source.data() + slice.begin);
      continue;
    }
    if (there > 0) std::memcpy(to, source.data() + slice.begin, there);
    sources_.push_back(to);
    to += stride;
  }
  slice.outputs.clear();
  slice.job.outputs_in_place.clear();
  for (uint8_t* const output : request_.outputs) {
    if (way_.outputs_in_place) {
      slice.outputs.push_back(output + slice.begin);
      slice.job.outputs_in_place.emplace_back(output + slice.begin, bytes);
      continue;
    }
    slice.outputs.push_back(to);
    if (is_update()) {
      std::memcpy(to, output + slice.begin, bytes);
      sources_.push_back(to);
      lengths_.push_back(bytes);
    }
    to += stride;
  }
  RingJob spec;
  spec.shard_bytes = bytes;
  spec.sources = sources_;
  if (!all_full) spec.lengths = lengths_;
  if (!is_update()) spec.outputs = slice.outputs;
  if (is_verify()) spec.report = slice.report;
  return ring.Start(request_, spec, slice.job, deadline);
}

absl::Status StripeRun::Finish(Slice& slice) {
  if (!slice.job.status().ok()) return slice.job.status();
  const size_t bytes = slice.end - slice.begin;
  if (!way_.outputs_in_place) {
    for (size_t i = 0; i < slice.outputs.size(); ++i) {
      std::memcpy(request_.outputs[i] + slice.begin, slice.outputs[i], bytes);
    }
  }
  if (is_verify() && !slice.job.consistent()) {
    if (absl::Status status = ReadReport(slice); !status.ok()) return status;
  }
  done_ = slice.end;
  return absl::OkStatus();
}

absl::Status StripeRun::ReadReport(const Slice& slice) {
  const codec::Geometry& geometry = request_.geometry;
  const RingReport said = Ring::ReadReport({slice.report, Ring::ReportBytes(geometry, 1)});
  codec::VerifyReport found;
  for (const RingReport::Mismatch& mismatch : said.mismatches) {
    const bool is_parity =
        mismatch.at.shard >= geometry.data_shards() && mismatch.at.shard < geometry.total_shards();
    if (!is_parity || mismatch.stripe != 0 || mismatch.at.offset >= slice.end - slice.begin) {
      return absl::InternalError(absl::StrCat("report: mismatch: got shard ", mismatch.at.shard,
                                              ", offset ", mismatch.at.offset));
    }
    found.mismatches.push_back(mismatch.at);
  }
  if (found.mismatches.empty() || said.suspect.value_or(0) >= geometry.total_shards()) {
    return absl::InternalError("report: got no mismatch, or a suspect that is no shard");
  }
  found.suspect = said.suspect;
  MergeReport(*request_.report, found, slice.begin);
  return absl::OkStatus();
}

bool StripeRun::AllDiffer() const {
  return is_verify() && request_.report->mismatches.size() >= request_.geometry.parity_shards();
}

}  // namespace parity::client
