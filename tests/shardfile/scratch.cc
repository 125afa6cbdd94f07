#include "scratch.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "parity/client/local_coder.h"

namespace parity::shardfile {

namespace fs = std::filesystem;

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "parity-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << name;
  path_ = name;
}

Scratch::~Scratch() { fs::remove_all(path_); }

std::map<std::string, Bytes> Scratch::Contents() const {
  std::map<std::string, Bytes> contents;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    contents[entry.path().filename()] = ReadFile(entry.path());
  }
  return contents;
}

Bytes ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

void WriteFile(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  EXPECT_TRUE(out) << path;
}

void FlipBit(const std::string& path, uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 0x10));
  file.close();
  EXPECT_TRUE(file) << path;
}

Bytes Noise(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes noise(bytes);
  for (uint8_t& byte : noise) byte = static_cast<uint8_t>(random());
  return noise;
}

uint32_t SlowCrc32c(absl::Span<const uint8_t> bytes) {
  uint32_t crc = ~0u;
  for (uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~crc;
}

namespace {

void Store(Bytes& bytes, size_t offset, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; ++i) bytes.at(offset + i) = static_cast<uint8_t>(value >> (8 * i));
}

}  // namespace

void Forge(const std::string& path, const Layout& layout, uint64_t shard_offset) {
  Bytes bytes = ReadFile(path);
  const uint64_t stripe = shard_offset / layout.cell_bytes();
  const uint64_t in_cell = shard_offset % layout.cell_bytes();
  const auto block = static_cast<uint32_t>(in_cell / layout.block_bytes());
  bytes.at(layout.record_offset(stripe) + in_cell) ^= 0x10;
  const absl::Span<const uint8_t> contents = absl::MakeConstSpan(bytes).subspan(
      layout.record_offset(stripe) + uint64_t{block} * layout.block_bytes(),
      layout.block_bytes(stripe, block));
  Store(bytes, layout.checksum_offset(stripe) + uint64_t{block} * kChecksumBytes,
        SlowCrc32c(contents), kChecksumBytes);
  WriteFile(path, bytes);
}

void SetField(Bytes& file, size_t offset, uint64_t value, size_t bytes) {
  Store(file, offset, value, bytes);
  const size_t checksum_offset = kHeaderBytes - kChecksumBytes;
  Store(file, checksum_offset, SlowCrc32c(absl::MakeConstSpan(file).first(checksum_offset)),
        kChecksumBytes);
}

codec::Geometry MakeGeometry(codec::Code code, uint32_t data_shards, uint32_t parity_shards,
                             std::optional<codec::Matrix> matrix) {
  return codec::Geometry::Make(code, data_shards, parity_shards, matrix).value();
}

Layout MakeLayout(const codec::Geometry& geometry, uint32_t block_bytes, uint32_t cell_bytes,
                  uint64_t object_bytes) {
  return Layout::Make(geometry, block_bytes, cell_bytes, object_bytes).value();
}

client::Coder& LocalCoder() {
  static client::Coder& coder = *client::MakeLocalCoder().value().release();
  return coder;
}

EncodeOptions TestOptions() {
  EncodeOptions options;
  options.block_bytes = kTestBlockBytes;
  options.cell_bytes = kTestCellBytes;
  return options;
}

EncodedObject EncodeNoise(const Scratch& scratch, const codec::Geometry& geometry,
                          uint64_t object_bytes) {
  WriteFile(scratch / "object", Noise(object_bytes, 1));
  return EncodeObject(LocalCoder(), geometry, scratch / "object", TestOptions()).value();
}

ShardSet FindSet(const Scratch& scratch) {
  const FoundShards found = FindShards({scratch.path()}).value();
  EXPECT_EQ(found.sets.size(), 1u);
  EXPECT_TRUE(found.strays.empty());
  return found.sets.at(0);
}

absl::Status StubCoder::Run(const client::Request& request, const client::CallOptions& options) {
  absl::Status status;
  switch (request.operation) {
    case client::Operation::kEncode:
      if (on_encode) status = on_encode();
      break;
    case client::Operation::kReconstruct:
      if (on_reconstruct) status = on_reconstruct();
      break;
    case client::Operation::kVerify:
      if (on_verify) status = on_verify(request.shards[0]);
      break;
    case client::Operation::kUpdate:
      break;
  }
  if (status.ok()) status = LocalCoder().Run(request, options);
  if (request.operation == client::Operation::kReconstruct && wrong_reconstruct) {
    for (uint8_t* const shard : request.outputs) shard[0] ^= 1;
  }
  return status;
}

}  // namespace parity::shardfile
