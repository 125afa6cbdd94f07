#include "parity/load/mix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "fakes.h"
#include "parity/codec/field_error.h"

namespace parity::load {
namespace {

using client::Operation;

TEST(Mix, OfSizesIsReadFromText) {
  const auto sizes = ParseSizes("--shard-bytes", "4K=50,1M=10.5,3,1G=1e2");
  ASSERT_TRUE(sizes.ok()) << sizes.status();
  ASSERT_EQ(sizes->size(), 4);
  EXPECT_EQ((*sizes)[0].value, 4096);
  EXPECT_EQ((*sizes)[0].weight, 50);
  EXPECT_EQ((*sizes)[1].value, 1048576);
  EXPECT_EQ((*sizes)[1].weight, 10.5);
  EXPECT_EQ((*sizes)[2].value, 3);
  EXPECT_EQ((*sizes)[2].weight, 1);
  EXPECT_EQ((*sizes)[3].value, 1073741824);
}

TEST(Mix, OfOperationsIsReadFromText) {
  const auto mix = ParseOperations("--mix", "encode=90,reconstruct=10,verify,update=0.5");
  ASSERT_TRUE(mix.ok()) << mix.status();
  ASSERT_EQ(mix->size(), 4);
  EXPECT_EQ((*mix)[0].value, Operation::kEncode);
  EXPECT_EQ((*mix)[1].value, Operation::kReconstruct);
  EXPECT_EQ((*mix)[1].weight, 10);
  EXPECT_EQ((*mix)[2].value, Operation::kVerify);
  EXPECT_EQ((*mix)[3].value, Operation::kUpdate);
}

TEST(Mix, ThatMakesNoSenseNamesTheOptionWhatWasGotAndWanted) {
  for (const char* text :
       {"", ",", "0", "K", "4k", "-4", "4K=", "4K=0", "4K=-1", "4K=nan", "4K=inf", "4K=1=2",
        "4K,4K", "4096,4K", "1025M", "2G", "18446744073709551615G", "4K, 5K=x", "4K,,5K"}) {
    const auto sizes = ParseSizes("--shard-bytes", text);
    ASSERT_FALSE(sizes.ok()) << text;
    EXPECT_EQ(codec::FieldOf(sizes.status()), "--shard-bytes");
    const std::string start = std::string("--shard-bytes: got ") + text + ", want SIZE";
    EXPECT_EQ(std::string(sizes.status().message()).find(start), 0) << sizes.status();
  }
  for (const char* text : {"", "encod", "Encode", "encode=0", "encode,encode", "encode=1,"}) {
    const auto mix = ParseOperations("--mix", text);
    ASSERT_FALSE(mix.ok()) << text;
    EXPECT_EQ(codec::FieldOf(mix.status()), "--mix");
  }
}

// A chi-square of counts that are expected to be as the weights. Of a seed that is fixed.
template <class Value>
void ExpectShares(const std::vector<Weighted<Value>>& mix, std::map<Value, int> counts,
                  double limit) {
  double total_weight = 0;
  double total = 0;
  for (const Weighted<Value>& each : mix) {
    total_weight += each.weight;
    total += counts[each.value];
  }
  double chi_square = 0;
  for (const Weighted<Value>& each : mix) {
    const double expected = total * each.weight / total_weight;
    chi_square += std::pow(counts[each.value] - expected, 2) / expected;
  }
  EXPECT_EQ(counts.size(), mix.size());
  EXPECT_LT(chi_square, limit);
}

TEST(Mix, IsWhatTheCoderIsAskedFor) {
  FakeClock clock;
  LoadOptions options = LoadBy(clock, absl::Milliseconds(20));
  options.work.shard_bytes = {{10, 50}, {100, 40}, {1000, 10}};
  options.work.operations = {{Operation::kEncode, 90}, {Operation::kReconstruct, 10}};
  std::map<size_t, int> sizes;
  std::map<Operation, int> operations;
  FakeCoder coder([&](uint64_t, const client::Request& request, const client::CallOptions&) {
    EXPECT_TRUE(client::CheckRequest(request).ok());
    ++sizes[request.shard_bytes];
    ++operations[request.operation];
    clock.Advance(1000);
    return absl::OkStatus();
  });
  const auto result = RunLoad(coder, SomeGeometry(), options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->calls, 20000);
  // One in a thousand is above, with 2 degrees of freedom and with 1.
  ExpectShares(options.work.shard_bytes, sizes, 13.8);
  ExpectShares(options.work.operations, operations, 10.8);
  EXPECT_EQ(result->by_operation[0], static_cast<uint64_t>(operations[Operation::kEncode]));
  EXPECT_EQ(result->data_bytes,
            static_cast<uint64_t>(4 * (10 * sizes[10] + 100 * sizes[100] + 1000 * sizes[1000])));
}

}  // namespace
}  // namespace parity::load
