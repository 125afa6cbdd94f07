// Reads the file of one shard.
#ifndef PARITY_SHARDFILE_SHARD_READER_H_
#define PARITY_SHARDFILE_SHARD_READER_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "parity/shardfile/file.h"
#include "parity/shardfile/header.h"

namespace parity::shardfile {

// A cell as it came from the file.
struct CellState {
  // Every byte of the cell could be read, whether its checksum matches or not.
  bool complete;
  // Those that do not match their checksums or could not be read, ascending.
  std::vector<uint32_t> bad_blocks;
};

using FileId = std::pair<dev_t, ino_t>;

// Const functions are thread-safe.
class ShardReader {
 public:
  // Reads the header. The error names the path and is one of File's or ParseHeader's.
  static absl::StatusOr<ShardReader> Open(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const Header& header() const { return header_; }
  // Of the file, when it was opened.
  uint64_t file_bytes() const { return static_cast<uint64_t>(status_.st_size); }
  mode_t mode() const { return status_.st_mode; }
  // The same for all names of the file.
  FileId file_id() const { return {status_.st_dev, status_.st_ino}; }

  // Reads the stripe's cell into cell[0..layout.cell_bytes(stripe)). Whatever cannot be read is a
  // bad block, and the others are read nevertheless. The bytes of bad blocks are unspecified unless
  // the cell is complete.
  CellState ReadCell(uint64_t stripe, uint8_t* cell) const;
  // The same for blocks [first, first + count) of the cell, numbered within it, into `out`.
  CellState ReadBlocks(uint64_t stripe, uint32_t first, uint32_t count, uint8_t* out) const;

  // See File::Take.
  absl::Status Take(File::Lock lock) const { return file_.Take(lock); }

 private:
  ShardReader(File file, const struct stat& status, const Header& header);

  File file_;
  struct stat status_;
  Header header_;
};

}  // namespace parity::shardfile

#endif  // PARITY_SHARDFILE_SHARD_READER_H_
