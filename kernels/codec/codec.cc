#include "parity/codec/codec.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "matrix.h"
#include "parity/codec/field_error.h"
#include "runs.h"

namespace parity::codec {
namespace {

constexpr size_t kMaxShardBytes = size_t{1} << 40;

// Verify computes parity in pieces of which those of all parity shards fit in L1 or, if there are
// very many, in L2.
constexpr size_t kVerifyBytes = 32768;
constexpr size_t kVerifyMinPieceBytes = 1024;
constexpr size_t kVerifyMaxPieceBytes = 16384;

std::string Indexed(std::string_view field, size_t index) {
  return absl::StrCat(std::string(field), "[", index, "]");
}

absl::Status CheckCount(std::string_view field, size_t got, size_t want) {
  if (got != want) return InvalidField(field, got, absl::StrCat(want));
  return absl::OkStatus();
}

absl::Status CheckLengths(absl::Span<const Shard> shards, size_t shard_bytes) {
  if (shard_bytes > kMaxShardBytes) {
    return InvalidField("shard_bytes", shard_bytes, absl::StrCat("at most ", kMaxShardBytes));
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    const size_t bytes = BytesIn(shards[i]);
    if (bytes > shard_bytes) {
      return InvalidField(Indexed("shards", i), absl::StrCat(bytes, " bytes"),
                          absl::StrCat("at most ", shard_bytes));
    }
  }
  return absl::OkStatus();
}

bool Overlap(const uint8_t* a, size_t a_bytes, const uint8_t* b, size_t b_bytes) {
  const uintptr_t a_start = reinterpret_cast<uintptr_t>(a);
  const uintptr_t b_start = reinterpret_cast<uintptr_t>(b);
  return a_start - b_start < b_bytes || b_start - a_start < a_bytes;
}

// Whether `shard` overlaps the output other than by being exactly the same memory.
// REQUIRES: the shard is not longer than shard_bytes.
bool OverlapsInPart(Shard shard, const uint8_t* output, size_t shard_bytes) {
  for (const Segment& segment : shard) {
    if (segment.bytes == 0 || !Overlap(segment.data, segment.bytes, output, shard_bytes)) continue;
    if (segment.data != output || segment.bytes != shard_bytes) return true;
  }
  return false;
}

absl::Status CheckOutputs(std::string_view field, absl::Span<uint8_t* const> outputs,
                          absl::Span<const Shard> shards, size_t shard_bytes) {
  if (shard_bytes == 0) return absl::OkStatus();
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t other = 0; other < i; ++other) {
      if (Overlap(outputs[i], shard_bytes, outputs[other], shard_bytes)) {
        return InvalidField(Indexed(field, i),
                            absl::StrCat("memory that overlaps ", Indexed(field, other)),
                            "memory of its own");
      }
    }
    for (size_t s = 0; s < shards.size(); ++s) {
      if (OverlapsInPart(shards[s], outputs[i], shard_bytes)) {
        return InvalidField(Indexed(field, i),
                            absl::StrCat("memory that overlaps part of ", Indexed("shards", s)),
                            "memory of its own, or all that of a shard in one segment");
      }
    }
  }
  return absl::OkStatus();
}

// Checks that `indices` are shards of the geometry, each named once, and marks them in `named`.
absl::Status CheckIndices(std::string_view field, absl::Span<const uint32_t> indices,
                          std::vector<bool>& named) {
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= named.size()) {
      return InvalidField(Indexed(field, i), indices[i], absl::StrCat("less than ", named.size()));
    }
    if (named[indices[i]]) {
      return InvalidField(Indexed(field, i), absl::StrCat(indices[i], " again"),
                          "every shard at most once");
    }
    named[indices[i]] = true;
  }
  return absl::OkStatus();
}

// Queues outputs[r][0..bytes) for the next `bytes` bytes of the shards in `runs`.
void Plan(RunWalker& runs, size_t bytes, absl::Span<uint8_t* const> outputs,
          const std::shared_ptr<const Coefficients>& coefficients, Batch& batch) {
  absl::InlinedVector<uint8_t*, 16> dst(outputs.begin(), outputs.end());
  while (bytes > 0) {
    const size_t run = runs.Next(bytes);
    batch.Add(runs.sources(), dst, coefficients, run);
    for (uint8_t*& output : dst) output += run;
    bytes -= run;
  }
}

// The factor of data shard j in parity shard r.
uint8_t GeneratorFactor(const Geometry& geometry, uint32_t r, uint32_t j) {
  switch (geometry.code()) {
    case Code::kXor:
      return 1;
    case Code::kRaid6: {
      uint8_t power = 1;  // 2^(r * j)
      for (uint32_t i = 0; i < r * j; ++i) power = Multiply(power, 2);
      return power;
    }
    case Code::kReedSolomon:
      return Inverse(static_cast<uint8_t>((geometry.data_shards() + r) ^ j));
  }
  return 0;
}

// The generator by rows: one for each parity shard.
class GeneratorRows {
 public:
  GeneratorRows(const Geometry& geometry, const Coefficients& generator)
      : k_(geometry.data_shards()), m_(geometry.parity_shards()), generator_(generator) {}

  size_t k() const { return k_; }
  size_t m() const { return m_; }
  uint8_t at(size_t r, size_t j) const { return generator_[j * m_ + r]; }

 private:
  size_t k_;
  size_t m_;
  const Coefficients& generator_;
};

// How to compute shards: from which of the present ones, and with which factors.
struct Recipe {
  std::vector<size_t> sources;  // places among the present shards
  std::shared_ptr<const Coefficients> coefficients;
};

// INTERNAL if the equations have no solution, which no code of ours allows.
// REQUIRES: present.size() >= k; no wanted shard is present.
absl::StatusOr<Recipe> MakeRecipe(const GeneratorRows& generator,
                                  absl::Span<const uint32_t> present,
                                  absl::Span<const uint32_t> wanted) {
  const size_t k = generator.k();
  // The k with the lowest numbers: all the data shards that are left, then parity shards.
  std::vector<size_t> survivors(present.size());
  std::iota(survivors.begin(), survivors.end(), size_t{0});
  std::sort(survivors.begin(), survivors.end(),
            [&](size_t a, size_t b) { return present[a] < present[b]; });
  survivors.resize(k);
  std::vector<uint32_t> lost;
  size_t left = 0;
  for (uint32_t j = 0; j < k; ++j) {
    if (left < k && present[survivors[left]] == j) {
      ++left;
    } else {
      lost.push_back(j);
    }
  }

  // What a surviving parity shard holds of the lost data: the shard itself, less what the data that
  // is left put into it.
  GfMatrix held(lost.size(), k);
  GfMatrix held_of_lost(lost.size(), lost.size());
  for (size_t i = 0; i < lost.size(); ++i) {
    const size_t r = present[survivors[left + i]] - k;
    for (size_t s = 0; s < left; ++s) held.at(i, s) = generator.at(r, present[survivors[s]]);
    held.at(i, left + i) = 1;
    for (size_t c = 0; c < lost.size(); ++c) held_of_lost.at(i, c) = generator.at(r, lost[c]);
  }
  // Square submatrices of these generators are regular: that is what makes the codes MDS.
  const std::optional<GfMatrix> solved = held_of_lost.Inverted();
  if (!solved.has_value())
    return absl::InternalError("the shards present do not determine the rest");

  GfMatrix wanted_of_lost(wanted.size(), lost.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    for (size_t c = 0; c < lost.size(); ++c) {
      wanted_of_lost.at(i, c) = wanted[i] >= k ? generator.at(wanted[i] - k, lost[c])
                                               : static_cast<uint8_t>(wanted[i] == lost[c]);
    }
  }
  GfMatrix factors = wanted_of_lost * *solved * held;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < k) continue;
    for (size_t s = 0; s < left; ++s) {
      factors.at(i, s) ^= generator.at(wanted[i] - k, present[survivors[s]]);
    }
  }

  Recipe recipe;
  auto coefficients = std::make_shared<Coefficients>();
  for (size_t s = 0; s < k; ++s) {
    bool is_used = false;
    for (size_t i = 0; i < wanted.size(); ++i) is_used |= factors.at(i, s) != 0;
    if (!is_used) continue;
    recipe.sources.push_back(survivors[s]);
    for (size_t i = 0; i < wanted.size(); ++i) coefficients->push_back(factors.at(i, s));
  }
  recipe.coefficients = std::move(coefficients);
  return recipe;
}

// Where the next `bytes` bytes of the one shard in `stored` differ from `computed`.
std::optional<size_t> FirstDifference(const uint8_t* computed, RunWalker& stored, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    const size_t run = stored.Next(bytes - at);
    const uint8_t* expected = computed + at;
    const uint8_t* found = stored.sources().front();
    if (std::memcmp(expected, found, run) != 0) {
      return at + (std::mismatch(expected, expected + run, found).first - expected);
    }
    at += run;
  }
  return std::nullopt;
}

uint8_t ByteAt(Shard shard, uint64_t offset) {
  for (const Segment& segment : shard) {
    if (offset < segment.bytes) return segment.data[offset];
    offset -= segment.bytes;
  }
  return 0;
}

// See VerifyReport::suspect. What a wrong shard adds to the parity at `offset` is the same multiple
// of its column of the generator in every parity shard.
std::optional<uint32_t> Suspect(const GeneratorRows& generator, absl::Span<const Shard> shards,
                                uint64_t offset) {
  const size_t k = generator.k();
  const size_t m = generator.m();
  if (m == 1) return std::nullopt;
  std::vector<uint8_t> syndromes(m);
  for (size_t r = 0; r < m; ++r) {
    syndromes[r] = ByteAt(shards[k + r], offset);
    for (size_t j = 0; j < k; ++j) {
      syndromes[r] ^= Multiply(generator.at(r, j), ByteAt(shards[j], offset));
    }
  }
  const auto is_wrong = [](uint8_t syndrome) { return syndrome != 0; };
  const auto wrong = std::count_if(syndromes.begin(), syndromes.end(), is_wrong);
  if (wrong == 0) return std::nullopt;  // somebody wrote to the shards meanwhile
  if (wrong == 1) {
    const auto first = std::find_if(syndromes.begin(), syndromes.end(), is_wrong);
    return static_cast<uint32_t>(k + (first - syndromes.begin()));
  }
  for (size_t j = 0; j < k; ++j) {
    const uint8_t error = Multiply(syndromes[0], Inverse(generator.at(0, j)));
    size_t r = 0;
    while (r < m && Multiply(generator.at(r, j), error) == syndromes[r]) ++r;
    if (r == m) return static_cast<uint32_t>(j);
  }
  return std::nullopt;
}

}  // namespace

uint64_t VerifyReport::first_offset() const {
  assert(!consistent());
  const auto first =
      std::min_element(mismatches.begin(), mismatches.end(),
                       [](const Mismatch& a, const Mismatch& b) { return a.offset < b.offset; });
  return first->offset;
}

Codec::Codec(const Geometry& geometry) : geometry_(geometry) {
  auto generator = std::make_shared<Coefficients>();
  generator->reserve(size_t{geometry.data_shards()} * geometry.parity_shards());
  for (uint32_t j = 0; j < geometry.data_shards(); ++j) {
    for (uint32_t r = 0; r < geometry.parity_shards(); ++r) {
      generator->push_back(GeneratorFactor(geometry, r, j));
    }
  }
  generator_ = std::move(generator);
}

absl::Status Codec::Encode(absl::Span<const Shard> data, size_t shard_bytes,
                           absl::Span<uint8_t* const> parity, Batch& batch) const {
  absl::Status status = CheckCount("shards", data.size(), geometry_.data_shards());
  if (status.ok()) status = CheckLengths(data, shard_bytes);
  if (status.ok()) status = CheckCount("parity", parity.size(), geometry_.parity_shards());
  if (status.ok()) status = CheckOutputs("parity", parity, data, shard_bytes);
  if (!status.ok()) return status;
  RunWalker runs(data);
  Plan(runs, shard_bytes, parity, generator_, batch);
  return absl::OkStatus();
}

absl::Status Codec::Reconstruct(absl::Span<const uint32_t> present, absl::Span<const Shard> shards,
                                size_t shard_bytes, absl::Span<const uint32_t> wanted,
                                absl::Span<uint8_t* const> out, Batch& batch) const {
  const size_t k = geometry_.data_shards();
  const size_t total = geometry_.total_shards();
  std::vector<bool> is_present(total);
  absl::Status status = CheckIndices("present", present, is_present);
  if (status.ok()) status = CheckCount("shards", shards.size(), present.size());
  if (status.ok()) status = CheckLengths(shards, shard_bytes);
  if (!status.ok()) return status;
  std::vector<bool> is_wanted(total);
  status = CheckIndices("wanted", wanted, is_wanted);
  for (size_t i = 0; status.ok() && i < wanted.size(); ++i) {
    if (is_present[wanted[i]]) {
      status = InvalidField(Indexed("wanted", i), wanted[i], "a shard that is not present");
    }
  }
  if (status.ok()) status = CheckCount("out", out.size(), wanted.size());
  if (status.ok()) status = CheckOutputs("out", out, shards, shard_bytes);
  if (!status.ok()) return status;
  if (present.size() < k) {
    return FieldError(absl::StatusCode::kFailedPrecondition, "present",
                      absl::StrCat(present.size(), " of ", total, " shards, ",
                                   total - present.size(), " missing"),
                      absl::StrCat("at least ", k, ", at most ", total - k, " missing"));
  }
  if (wanted.empty()) return absl::OkStatus();

  const absl::StatusOr<Recipe> recipe =
      MakeRecipe(GeneratorRows(geometry_, *generator_), present, wanted);
  if (!recipe.ok()) return recipe.status();
  std::vector<Shard> sources;
  for (const size_t place : recipe->sources) sources.push_back(shards[place]);
  RunWalker runs(sources);
  Plan(runs, shard_bytes, out, recipe->coefficients, batch);
  return absl::OkStatus();
}

absl::StatusOr<VerifyReport> Codec::Verify(absl::Span<const Shard> shards, size_t shard_bytes,
                                           const kernels::KernelTable& table) const {
  const uint32_t k = geometry_.data_shards();
  const uint32_t m = geometry_.parity_shards();
  absl::Status status = CheckCount("shards", shards.size(), k + m);
  if (status.ok()) status = CheckLengths(shards, shard_bytes);
  if (!status.ok()) return status;

  const size_t piece_bytes =
      std::clamp(kVerifyBytes / m / 64 * 64, kVerifyMinPieceBytes, kVerifyMaxPieceBytes);
  const std::unique_ptr<uint8_t[]> pieces(new uint8_t[m * piece_bytes]);
  std::vector<uint8_t*> computed;
  std::vector<RunWalker> stored;
  for (uint32_t r = 0; r < m; ++r) {
    computed.push_back(pieces.get() + r * piece_bytes);
    stored.emplace_back(shards.subspan(k + r, 1));
  }

  RunWalker data(shards.first(k));
  Batch batch(table);
  std::vector<std::optional<uint64_t>> first_wrong(m);
  size_t wrong = 0;
  for (size_t at = 0; at < shard_bytes && wrong < m; at += piece_bytes) {
    const size_t bytes = std::min(piece_bytes, shard_bytes - at);
    Plan(data, bytes, computed, generator_, batch);
    batch.Run();
    for (uint32_t r = 0; r < m; ++r) {
      if (first_wrong[r].has_value()) continue;
      const std::optional<size_t> offset = FirstDifference(computed[r], stored[r], bytes);
      if (!offset.has_value()) continue;
      first_wrong[r] = at + *offset;
      ++wrong;
    }
  }

  VerifyReport report;
  for (uint32_t r = 0; r < m; ++r) {
    if (first_wrong[r].has_value()) report.mismatches.push_back({k + r, *first_wrong[r]});
  }
  if (!report.consistent()) {
    report.suspect = Suspect(GeneratorRows(geometry_, *generator_), shards, report.first_offset());
  }
  return report;
}

}  // namespace parity::codec
