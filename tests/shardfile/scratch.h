// What the tests of shard files share: files to work on, damage to do to them, and coders that
// fail.
#ifndef PARITY_TESTS_SHARDFILE_SCRATCH_H_
#define PARITY_TESTS_SHARDFILE_SCRATCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "parity/client/coder.h"
#include "parity/codec/geometry.h"
#include "parity/shardfile/encode.h"
#include "parity/shardfile/layout.h"
#include "parity/shardfile/shard_set.h"

namespace parity::shardfile {

using Bytes = std::vector<uint8_t>;

// A directory of its own, removed at the end.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  // All files by name.
  std::map<std::string, Bytes> Contents() const;

 private:
  std::string path_;
};

Bytes ReadFile(const std::string& path);
void WriteFile(const std::string& path, const Bytes& bytes);
void FlipBit(const std::string& path, uint64_t offset);
// Bytes that look random and differ with the seed.
Bytes Noise(size_t bytes, uint32_t seed);

// An oracle for the program's: one bit at a time.
uint32_t SlowCrc32c(absl::Span<const uint8_t> bytes);
// Makes the byte at `shard_offset` another one and its block's checksum fit again.
void Forge(const std::string& path, const Layout& layout, uint64_t shard_offset);
// Sets the 4 or 8 bytes at `offset` of a header and makes the header's checksum fit again.
void SetField(Bytes& file, size_t offset, uint64_t value, size_t bytes);

codec::Geometry MakeGeometry(codec::Code code, uint32_t data_shards, uint32_t parity_shards,
                             std::optional<codec::Matrix> matrix = std::nullopt);
Layout MakeLayout(const codec::Geometry& geometry, uint32_t block_bytes, uint32_t cell_bytes,
                  uint64_t object_bytes);

client::Coder& LocalCoder();

// Small cells, so that small objects have many stripes: of 4 blocks.
inline constexpr uint64_t kTestBlockBytes = 512;
inline constexpr uint64_t kTestCellBytes = 4 * kTestBlockBytes;
EncodeOptions TestOptions();

// Writes an object of noise into `scratch` as "object" and its shards beside it.
EncodedObject EncodeNoise(const Scratch& scratch, const codec::Geometry& geometry,
                          uint64_t object_bytes);

// The only set in the directory, which must be there.
ShardSet FindSet(const Scratch& scratch);

// Asks the local coder, unless told otherwise.
class StubCoder : public client::Coder {
 public:
  // Called before an operation, on_verify with the first data shard; its error becomes the
  // operation's.
  std::function<absl::Status()> on_encode;
  std::function<absl::Status()> on_reconstruct;
  std::function<absl::Status(client::ShardBytes first)> on_verify;
  // The first byte of each output is another one than it should be.
  bool wrong_reconstruct = false;

  absl::Status Run(const client::Request& request, const client::CallOptions& options) override;
};

}  // namespace parity::shardfile

#endif  // PARITY_TESTS_SHARDFILE_SCRATCH_H_
