#include "shm_grid.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

// Data shards that are walked through: far more than the caches next to a core hold.
constexpr size_t kWalkedBytes = size_t{256} << 20;

codec::Geometry GeometryOf(codec::Code code, uint32_t data, uint32_t parity) {
  return *codec::Geometry::Make(code, data, parity);
}

}  // namespace

const char* NameOf(Access access) {
  switch (access) {
    case Access::kReused:
      return "reused";
    case Access::kWalked:
      return "walked";
    case Access::kWritten:
      return "written";
    case Access::kPaused:
      return "paused";
  }
  return "";
}

size_t ShmRow::slots() const {
  if (access != Access::kWalked) return depth;
  return std::max(kWalkedBytes / job().source_bytes(), 2 * depth);
}

std::string NameOf(const ShmRow& row) {
  return absl::StrCat("shm/", std::string(codec::NameOf(row.geometry.code())),
                      row.geometry.data_shards(), "+", row.geometry.parity_shards(),
                      "/shard=", row.shard_bytes, "/stripes=", row.stripes, "/depth=", row.depth,
                      "/", NameOf(row.access));
}

std::vector<ShmRow> FullShmGrid() {
  const codec::Geometry xor4 = GeometryOf(codec::Code::kXor, 4, 1);
  const codec::Geometry raid6 = GeometryOf(codec::Code::kRaid6, 8, 2);
  const codec::Geometry rs = GeometryOf(codec::Code::kReedSolomon, 10, 4);
  struct Shape {
    codec::Geometry geometry;
    size_t shard_bytes;
    size_t stripes;
    size_t depth;
  };
  std::vector<ShmRow> rows;
  for (const Access access : {Access::kWalked, Access::kReused}) {
    for (const Shape& shape :
         {Shape{xor4, 65536, 16, 4}, Shape{xor4, 65536, 1, 16}, Shape{xor4, 262144, 1, 8},
          Shape{xor4, 1 << 20, 1, 4}, Shape{xor4, 4 << 20, 1, 2}, Shape{raid6, 65536, 16, 4},
          Shape{rs, 65536, 16, 4}}) {
      rows.push_back(
          {shape.geometry, shape.shard_bytes, shape.stripes, shape.depth, access, false});
    }
  }
  // But for the batches, what is under way here fits the caches next to a core.
  rows.push_back({xor4, 65536, 1, 4, Access::kReused, false});
  rows.push_back({xor4, 4096, 64, 4, Access::kReused, false});
  rows.push_back({xor4, 4096, 1, 64, Access::kReused, false});
  rows.push_back({xor4, 4096, 1, 64, Access::kWritten, false});
  rows.push_back({xor4, 4096, 1, 8, Access::kReused, false});
  rows.push_back({xor4, 4096, 1, 8, Access::kWritten, false});
  rows.push_back({xor4, 4096, 1, 1, Access::kReused, true});
  rows.push_back({xor4, 4096, 1, 1, Access::kPaused, false});
  return rows;
}

std::vector<ShmRow> QuickShmGrid() {
  const codec::Geometry xor4 = GeometryOf(codec::Code::kXor, 4, 1);
  return {
      {xor4, 65536, 16, 4, Access::kWalked, false}, {xor4, 1 << 20, 1, 4, Access::kWalked, false},
      {xor4, 4096, 1, 64, Access::kReused, false},  {xor4, 4096, 1, 64, Access::kWritten, false},
      {xor4, 4096, 1, 1, Access::kReused, true},    {xor4, 4096, 1, 1, Access::kPaused, false}};
}

}  // namespace parity::bench
