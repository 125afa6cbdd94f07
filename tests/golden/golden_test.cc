// Our codec against parity that other implementations computed, for every kernel table.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "every_table.h"
#include "golden_file.h"
#include "gtest/gtest.h"
#include "stripe.h"
#include "stripe_data.h"

namespace parity::codec {
namespace {

absl::StatusOr<Geometry> GeometryOf(const GoldenCase& golden) {
  const auto code = CodeFromName(golden.code);
  if (!code.ok()) return code.status();
  if (golden.matrix == NameOf(Matrix::kNone)) return Geometry::Make(*code, golden.k, golden.m);
  const auto matrix = MatrixFromName(golden.matrix);
  if (!matrix.ok()) return matrix.status();
  if (*matrix == Matrix::kCustom) {
    return Geometry::MakeCustom(golden.k, golden.m, golden.matrix_rows);
  }
  return Geometry::Make(*code, golden.k, golden.m, *matrix);
}

// The data by the formula, the parity from the file.
std::vector<Bytes> StripeOf(const GoldenCase& golden) {
  std::vector<Bytes> stripe(golden.k, Bytes(golden.shard_bytes));
  for (uint32_t shard = 0; shard < golden.k; ++shard) {
    for (uint32_t i = 0; i < golden.shard_bytes; ++i) stripe[shard][i] = StripeDataByte(shard, i);
  }
  stripe.insert(stripe.end(), golden.parity.begin(), golden.parity.end());
  return stripe;
}

// The file's name without ".txt", and a table.
class GoldenTest
    : public testing::TestWithParam<std::tuple<std::string, const kernels::KernelTable*>> {
 protected:
  const kernels::KernelTable& table() const { return *std::get<1>(GetParam()); }
  std::vector<GoldenCase> Cases() const {
    const auto cases =
        ReadGoldenFile(absl::StrCat(GOLDEN_DIR "/", std::get<0>(GetParam()), ".txt"));
    EXPECT_TRUE(cases.ok()) << cases.status();
    return cases.value_or(std::vector<GoldenCase>());
  }
};

TEST_P(GoldenTest, EncodeGivesTheSameParity) {
  for (const GoldenCase& golden : Cases()) {
    SCOPED_TRACE(golden.title);
    const auto geometry = GeometryOf(golden);
    ASSERT_TRUE(geometry.ok()) << geometry.status();
    std::vector<Bytes> data = StripeOf(golden);
    data.resize(golden.k);
    std::vector<Bytes> parity(golden.m, Bytes(golden.shard_bytes));
    Batch batch(table());
    const absl::Status status = Codec(*geometry).Encode(
        ShardList(data).shards(), golden.shard_bytes, Pointers(parity), batch);
    ASSERT_TRUE(status.ok()) << status;
    batch.Run();
    for (uint32_t r = 0; r < golden.m; ++r)
      ASSERT_EQ(parity[r], golden.parity[r]) << "parity " << r;
  }
}

TEST_P(GoldenTest, VerifyFindsTheStripeConsistent) {
  for (const GoldenCase& golden : Cases()) {
    SCOPED_TRACE(golden.title);
    const auto geometry = GeometryOf(golden);
    ASSERT_TRUE(geometry.ok()) << geometry.status();
    const std::vector<Bytes> stripe = StripeOf(golden);
    const auto report =
        Codec(*geometry).Verify(ShardList(stripe).shards(), golden.shard_bytes, table());
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_TRUE(report->consistent());
  }
}

TEST_P(GoldenTest, ReconstructRestoresAsManyShardsAsCanBeLost) {
  std::mt19937 random(1);
  for (const GoldenCase& golden : Cases()) {
    SCOPED_TRACE(golden.title);
    const auto geometry = GeometryOf(golden);
    ASSERT_TRUE(geometry.ok()) << geometry.status();
    const std::vector<Bytes> stripe = StripeOf(golden);
    std::vector<uint32_t> order(stripe.size());
    std::iota(order.begin(), order.end(), 0);
    // The first m shards, then any m.
    for (int pattern = 0; pattern < 4; ++pattern) {
      const std::vector<uint32_t> lost(order.begin(), order.begin() + golden.m);
      const std::vector<uint32_t> present(order.begin() + golden.m, order.end());
      std::vector<Bytes> sources;
      for (const uint32_t shard : present) sources.push_back(stripe[shard]);
      std::vector<Bytes> restored(lost.size(), Bytes(golden.shard_bytes));
      Batch batch(table());
      const absl::Status status =
          Codec(*geometry).Reconstruct(present, ShardList(sources).shards(), golden.shard_bytes,
                                       lost, Pointers(restored), batch);
      ASSERT_TRUE(status.ok()) << status;
      batch.Run();
      for (size_t i = 0; i < lost.size(); ++i) {
        ASSERT_EQ(restored[i], stripe[lost[i]]) << "shard " << lost[i] << ", pattern " << pattern;
      }
      std::shuffle(order.begin(), order.end(), random);
    }
  }
}

std::string FileAndTable(const testing::TestParamInfo<GoldenTest::ParamType>& info) {
  return absl::StrCat(std::get<0>(info.param), "_", std::get<1>(info.param)->name);
}

INSTANTIATE_TEST_SUITE_P(
    EveryFileAndTable, GoldenTest,
    testing::Combine(testing::Values("isal", "jerasure", "klauspost"),
                     testing::ValuesIn(kernels::UsableTables(kernels::ReadCpuRegisters()))),
    FileAndTable);

std::string ErrorOf(absl::string_view text) {
  const auto cases = ParseGoldenFile(text);
  return cases.ok() ? "no error" : std::string(cases.status().message());
}

TEST(GoldenFile, IsReadAsItStands) {
  const auto cases = ParseGoldenFile(
      "# a comment\n"
      "case rs custom 2 1 3\nrow 2 01ff\nparity 2 00a1b2\n"
      "case xor none 1 1 1\nparity 1 7f\n"
      "end 2\n");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 2u);
  const GoldenCase& custom = cases->front();
  EXPECT_EQ(custom.title, "case rs custom 2 1 3");
  EXPECT_EQ(custom.code, "rs");
  EXPECT_EQ(custom.matrix, "custom");
  EXPECT_EQ(custom.k, 2u);
  EXPECT_EQ(custom.m, 1u);
  EXPECT_EQ(custom.shard_bytes, 3u);
  EXPECT_EQ(custom.matrix_rows, Bytes({0x01, 0xff}));
  EXPECT_EQ(custom.parity, std::vector<Bytes>({{0x00, 0xa1, 0xb2}}));
  EXPECT_EQ(cases->back().parity, std::vector<Bytes>({{0x7f}}));
}

TEST(GoldenFile, ThatIsEmptyOrCutShortIsAnError) {
  const std::string want_case = "want 'case CODE MATRIX K M SHARD_BYTES' or 'end CASES'";
  EXPECT_EQ(ErrorOf(""), "at the end: got '', " + want_case);
  EXPECT_EQ(ErrorOf("# only a comment\n"), "at the end: got '', " + want_case);
  EXPECT_EQ(ErrorOf("end 0\n"), "line 1: got 'end 0', want at least one case");
  EXPECT_EQ(ErrorOf("case xor none 1 1 1\nparity 1 7f\n"), "at the end: got '', " + want_case);
  EXPECT_EQ(ErrorOf("case xor none 1 1 1\n"),
            "at the end: got '', want 'parity 1 ' and 1 bytes in hex");
  EXPECT_EQ(ErrorOf("case xor none 1 1 1\nparity 1 7f\nend 2\n"),
            "line 3: got 'end 2', want 'end 1'");
  EXPECT_EQ(ErrorOf("case xor none 1 1 1\nparity 1 7f\nend 1\nend 1\n"),
            "line 4: got 'end 1', want nothing after 'end'");
}

TEST(GoldenFile, LineThatIsNotAsDescribedIsAnError) {
  for (const std::string line :
       {"case xor none 1 1", "case xor none 1 1 1 1", "case xor none 0 1 1", "case xor none 1 0 1",
        "case xor none 1 1 0", "case xor none 200 58 1", "case xor none 1 -1 1",
        "case xor none 1 one 1", "case xor none 1 1 65537", "Case xor none 1 1 1", "parity 1 7f"}) {
    EXPECT_EQ(ErrorOf(line + "\nparity 1 7f\nend 1\n"),
              "line 1: got '" + line + "', want 'case CODE MATRIX K M SHARD_BYTES' or 'end CASES'");
  }
  for (const std::string line : {"parity 0 7f", "parity 2 7f", "parity 1 7", "parity 1 7f7f",
                                 "parity 1 7F", "parity 1 7g", "parity 1 7f ", "row 1 7f"}) {
    EXPECT_EQ(ErrorOf("case xor none 1 1 1\n" + line + "\nend 1\n"),
              "line 2: got '" + line + "', want 'parity 1 ' and 1 bytes in hex");
  }
  EXPECT_EQ(ErrorOf("case rs custom 2 1 1\nparity 2 7f\nend 1\n"),
            "line 2: got 'parity 2 7f', want 'row 2 ' and 2 bytes in hex");
}

}  // namespace
}  // namespace parity::codec
