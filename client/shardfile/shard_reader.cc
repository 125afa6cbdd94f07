#include "parity/shardfile/shard_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "little_endian.h"
#include "parity/checksum/crc32c.h"

namespace parity::shardfile {

absl::StatusOr<ShardReader> ShardReader::Open(const std::string& path) {
  absl::StatusOr<File> file = File::OpenForReading(path);
  if (!file.ok()) return file.status();
  const absl::StatusOr<struct stat> status = file->Stat();
  if (!status.ok()) return status.status();
  std::array<uint8_t, kHeaderBytes> bytes;
  const auto read = absl::MakeSpan(bytes).first(
      std::min<size_t>(bytes.size(), static_cast<size_t>(status->st_size)));
  if (absl::Status error = file->ReadAt(0, read); !error.ok()) return error;
  const absl::StatusOr<Header> header = ParseHeader(read);
  if (!header.ok()) {
    return absl::Status(header.status().code(),
                        absl::StrCat(path, ": ", header.status().message()));
  }
  return ShardReader(*std::move(file), *status, *header);
}

ShardReader::ShardReader(File file, const struct stat& status, const Header& header)
    : file_(std::move(file)), status_(status), header_(header) {}

CellState ShardReader::ReadCell(uint64_t stripe, uint8_t* cell) const {
  return ReadBlocks(stripe, 0, header_.layout.blocks(stripe), cell);
}

CellState ShardReader::ReadBlocks(uint64_t stripe, uint32_t first, uint32_t count,
                                  uint8_t* out) const {
  const Layout& layout = header_.layout;
  const uint64_t begin = uint64_t{first} * layout.block_bytes();
  const uint64_t end =
      std::min<uint64_t>(begin + uint64_t{count} * layout.block_bytes(), layout.cell_bytes(stripe));
  const uint64_t blocks_offset = layout.record_offset(stripe) + begin;
  const uint64_t checksum_offset =
      layout.checksum_offset(stripe) + uint64_t{first} * kChecksumBytes;
  std::vector<uint8_t> checksums(size_t{count} * kChecksumBytes);
  const auto bytes_of = [&](uint32_t block) {
    return absl::MakeSpan(out + size_t{block} * layout.block_bytes(),
                          layout.block_bytes(stripe, first + block));
  };
  const auto checksum_of = [&](uint32_t block) {
    return absl::MakeSpan(checksums).subspan(size_t{block} * kChecksumBytes, kChecksumBytes);
  };

  const bool all_read = file_.ReadAt(blocks_offset, absl::MakeSpan(out, end - begin)).ok();
  const bool checksums_read = file_.ReadAt(checksum_offset, absl::MakeSpan(checksums)).ok();
  CellState state{all_read, {}};
  for (uint32_t block = 0; block < count; ++block) {
    // What could not be read in one piece may still be readable in part.
    const bool read =
        (all_read ||
         file_.ReadAt(blocks_offset + uint64_t{block} * layout.block_bytes(), bytes_of(block))
             .ok()) &&
        (checksums_read ||
         file_.ReadAt(checksum_offset + uint64_t{block} * kChecksumBytes, checksum_of(block)).ok());
    if (!read || LoadLittleEndian<uint32_t>(checksum_of(block).data()) !=
                     checksum::Crc32c(bytes_of(block))) {
      state.bad_blocks.push_back(first + block);
    }
  }
  return state;
}

}  // namespace parity::shardfile
