#include "checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "parity/codec/field_error.h"

namespace parity::codec {
namespace {

std::string Indexed(std::string_view field, size_t index) {
  return absl::StrCat(std::string(field), "[", index, "]");
}

bool Overlap(const uint8_t* a, size_t a_bytes, const uint8_t* b, size_t b_bytes) {
  const uintptr_t a_start = reinterpret_cast<uintptr_t>(a);
  const uintptr_t b_start = reinterpret_cast<uintptr_t>(b);
  return a_start - b_start < b_bytes || b_start - a_start < a_bytes;
}

}  // namespace

absl::Status CheckCount(std::string_view field, size_t got, size_t want) {
  if (got != want) return InvalidField(field, got, absl::StrCat(want));
  return absl::OkStatus();
}

absl::Status CheckLengths(std::string_view field, absl::Span<const Shard> shards,
                          size_t shard_bytes) {
  if (shard_bytes > kMaxShardBytes) {
    return InvalidField("shard_bytes", shard_bytes, absl::StrCat("at most ", kMaxShardBytes));
  }
  for (size_t i = 0; i < shards.size(); ++i) {
    const size_t bytes = BytesIn(shards[i]);
    if (bytes > shard_bytes) {
      return InvalidField(Indexed(field, i), absl::StrCat(bytes, " bytes"),
                          absl::StrCat("at most ", shard_bytes));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<ShardMask> CheckIndices(std::string_view field, absl::Span<const uint32_t> indices,
                                       uint32_t end) {
  ShardMask named;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] >= end) {
      return InvalidField(Indexed(field, i), indices[i], absl::StrCat("less than ", end));
    }
    if (named[indices[i]]) {
      return InvalidField(Indexed(field, i), absl::StrCat(indices[i], " again"),
                          "every shard at most once");
    }
    named.set(indices[i]);
  }
  return named;
}

absl::StatusOr<ShardMask> CheckWanted(absl::Span<const uint32_t> wanted, uint32_t end,
                                      const ShardMask& present) {
  absl::StatusOr<ShardMask> named = CheckIndices("wanted", wanted, end);
  if (!named.ok()) return named;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (present[wanted[i]]) {
      return InvalidField(Indexed("wanted", i), wanted[i], "a shard that is not present");
    }
  }
  return named;
}

absl::Status CheckDistinct(std::string_view field, absl::Span<uint8_t* const> outputs,
                           size_t bytes) {
  for (size_t i = 0; i < outputs.size() && bytes > 0; ++i) {
    for (size_t other = 0; other < i; ++other) {
      if (Overlap(outputs[i], bytes, outputs[other], bytes)) {
        return InvalidField(Indexed(field, i),
                            absl::StrCat("memory that overlaps ", Indexed(field, other)),
                            "memory of its own");
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOverlap(std::string_view field, absl::Span<uint8_t* const> outputs,
                          std::string_view source_field, absl::Span<const Shard> sources,
                          size_t bytes, Sharing sharing) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t s = 0; s < sources.size(); ++s) {
      for (const Segment& segment : sources[s]) {
        if (segment.bytes == 0 || !Overlap(segment.data, segment.bytes, outputs[i], bytes)) {
          continue;
        }
        const std::string source = Indexed(source_field, s);
        if (sharing == Sharing::kNone) {
          return InvalidField(Indexed(field, i), absl::StrCat("memory that overlaps ", source),
                              "memory of its own");
        }
        if (segment.data != outputs[i] || segment.bytes != bytes) {
          return InvalidField(Indexed(field, i),
                              absl::StrCat("memory that overlaps part of ", source),
                              "memory of its own, or all that of a shard in one segment");
        }
      }
    }
  }
  return absl::OkStatus();
}

bool AreApart(absl::Span<uint8_t* const> outputs, absl::Span<const uint8_t* const> sources,
              size_t bytes) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const uint8_t* const source : sources) {
      if (Overlap(source, bytes, outputs[i], bytes)) return false;
    }
    for (size_t other = 0; other < i; ++other) {
      if (Overlap(outputs[other], bytes, outputs[i], bytes)) return false;
    }
  }
  return true;
}

}  // namespace parity::codec
