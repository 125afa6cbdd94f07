// Operations in this process, by the C API.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "operations.h"
#include "owned_handles.h"
#include "parity.h"
#include "stripe.h"

namespace parity::capi {
namespace {

constexpr parity_geometry kFourAndTwo = {PARITY_CODE_REED_SOLOMON, 0, 4, 2, nullptr, 0};

TEST(CapiOperations, GiveWhatLocalCoderGives) {
  const ClientHandle client = MakeClient();
  for (uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Stripe stripe(seed);
    CheckOperations(client.get(), stripe);
    if (HasFailure()) return;
  }
}

TEST(CapiOperations, TakeShardsOfShardBytesWithoutLengths) {
  const ClientHandle client = MakeClient();
  Stripe stripe(kFourAndTwo, 1000, 1);
  Outputs parity(2, 1000);
  ASSERT_EQ(parity_encode(client.get(), &kFourAndTwo, 1000, stripe.shards().data(), nullptr, 4,
                          parity.pointers(), 2, nullptr, nullptr),
            PARITY_OK);
  EXPECT_EQ(parity.Contents(1), stripe.Contents(5));

  const std::vector<uint32_t> present = {5, 3, 1, 4}, wanted = {2, 0};
  std::vector<const uint8_t*> left;
  for (const uint32_t shard : present) left.push_back(stripe.shards()[shard]);
  Outputs out(2, 1000);
  ASSERT_EQ(parity_reconstruct(client.get(), &kFourAndTwo, 1000, present.data(), left.data(),
                               nullptr, 4, wanted.data(), out.pointers(), 2, nullptr, nullptr),
            PARITY_OK);
  EXPECT_EQ(out.Contents(0), stripe.Contents(2));
  EXPECT_EQ(out.Contents(1), stripe.Contents(0));

  size_t mismatches = 99;
  ASSERT_EQ(parity_verify(client.get(), &kFourAndTwo, 1000, stripe.shards().data(), nullptr, 6,
                          nullptr, 0, &mismatches, nullptr, nullptr, nullptr),
            PARITY_OK);
  EXPECT_EQ(mismatches, 0U);

  // Shard 1 becomes what shard 3 is.
  const uint32_t changed = 1;
  ASSERT_EQ(parity_update(client.get(), &kFourAndTwo, 1000, &changed, &stripe.shards()[1], nullptr,
                          &stripe.shards()[3], nullptr, 1, parity.pointers(), 2, nullptr, nullptr),
            PARITY_OK);
  std::vector<const uint8_t*> after = stripe.shards();
  after[1] = after[3];
  after[4] = parity.pointers()[0];
  after[5] = parity.pointers()[1];
  ASSERT_EQ(parity_verify(client.get(), &kFourAndTwo, 1000, after.data(), nullptr, 6, nullptr, 0,
                          &mismatches, nullptr, nullptr, nullptr),
            PARITY_OK);
  EXPECT_EQ(mismatches, 0U);
}

TEST(CapiOperations, CountMismatchesThatThereIsNoRoomFor) {
  const ClientHandle client = MakeClient();
  Stripe stripe(kFourAndTwo, 1000, 2);
  stripe.mutable_shard(3)[777] ^= 1;
  parity_mismatch mismatches[2] = {{1, 2, 3}, {1, 2, 3}};
  size_t count = 99;
  int32_t suspect = -99;
  ASSERT_EQ(parity_verify(client.get(), &kFourAndTwo, 1000, stripe.shards().data(), nullptr, 6,
                          mismatches, 1, &count, &suspect, nullptr, nullptr),
            PARITY_OK);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(suspect, 3);
  EXPECT_EQ(mismatches[0].shard, 4U);
  EXPECT_EQ(mismatches[0].offset, 777U);
  EXPECT_EQ(mismatches[1].shard, 2U) << "written beyond the capacity";
}

TEST(CapiOperations, RefuseAShortArrayOfShardsNeeded) {
  const uint32_t available[] = {0, 1, 2, 4, 5};
  const uint32_t wanted = 3;
  uint32_t needed[4] = {77, 77, 77, 77};
  size_t count = 0;
  parity_error error = Dirty();
  EXPECT_EQ(
      Said(parity_shards_needed(&kFourAndTwo, available, 5, &wanted, 1, needed, 3, &count, &error),
           error),
      "3 needed");
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(needed[0], 77U);
  EXPECT_EQ(
      Said(parity_shards_needed(&kFourAndTwo, available, 5, &wanted, 1, needed, 4, &count, &error),
           error),
      "0 ");
  EXPECT_EQ(needed[3], 4U);
}

TEST(CapiOperations, RefuseShardsThatDoNotSuffice) {
  const ClientHandle client = MakeClient();
  Stripe stripe(kFourAndTwo, 100, 3);
  const uint32_t present[] = {0, 1, 2}, wanted = 3;
  Outputs out(1, 100);
  parity_error error = Dirty();
  EXPECT_EQ(
      Said(parity_reconstruct(client.get(), &kFourAndTwo, 100, present, stripe.shards().data(),
                              nullptr, 3, &wanted, out.pointers(), 1, nullptr, &error),
           error),
      "9 present");
  size_t count = 0;
  EXPECT_EQ(
      Said(parity_shards_needed(&kFourAndTwo, present, 3, &wanted, 1, nullptr, 0, &count, &error),
           error),
      "9 available");
}

}  // namespace
}  // namespace parity::capi
