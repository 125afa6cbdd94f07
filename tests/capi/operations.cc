#include "operations.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "owned_handles.h"
#include "parity/client/local_coder.h"
#include "parity/codec/field_error.h"

namespace parity::capi {
namespace {

client::Coder& Oracle() {
  static client::Coder& coder = *client::MakeLocalCoder()->release();
  return coder;
}

std::vector<client::ShardBytes> Spans(const Stripe& stripe) {
  std::vector<client::ShardBytes> spans;
  for (size_t i = 0; i < stripe.shards().size(); ++i) {
    spans.emplace_back(stripe.shards()[i], stripe.lengths()[i]);
  }
  return spans;
}

std::vector<uint32_t> Without(const std::vector<uint32_t>& shards, uint32_t end) {
  std::vector<uint32_t> rest;
  for (uint32_t shard = 0; shard < end; ++shard) {
    if (std::count(shards.begin(), shards.end(), shard) == 0) rest.push_back(shard);
  }
  return rest;
}

void ExpectSame(const absl::Status& want, parity_status status, const parity_error& error) {
  EXPECT_EQ(status, static_cast<int>(want.code())) << error.message << " / " << want;
  EXPECT_EQ(error.field, codec::FieldOf(want).value_or(""));
}

// What the C API and LocalCoder find must be the same.
void CompareVerify(parity_client* client, const Stripe& stripe) {
  const auto want = Oracle().Verify(stripe.codec_geometry(), Spans(stripe), stripe.shard_bytes());
  std::vector<parity_mismatch> mismatches(stripe.m());
  size_t count = 99;
  int32_t suspect = -99;
  parity_error error = Dirty();
  const parity_status status =
      parity_verify(client, &stripe.geometry(), stripe.shard_bytes(), stripe.shards().data(),
                    stripe.lengths().data(), stripe.shards().size(), mismatches.data(),
                    mismatches.size(), &count, &suspect, nullptr, &error);
  ExpectSame(want.status(), status, error);
  ASSERT_EQ(count, want->mismatches.size());
  for (size_t i = 0; i < count; ++i) {
    EXPECT_EQ(mismatches[i].shard, want->mismatches[i].shard);
    EXPECT_EQ(mismatches[i].offset, want->mismatches[i].offset);
    EXPECT_EQ(mismatches[i].reserved, 0U);
  }
  EXPECT_EQ(suspect, want->suspect.has_value() ? static_cast<int32_t>(*want->suspect) : -1);
}

}  // namespace

void CheckEncode(parity_client* client, Stripe& stripe) {
  Outputs parity(stripe.m(), stripe.shard_bytes());
  parity_error error = Dirty();
  const parity_status status = parity_encode(
      client, &stripe.geometry(), stripe.shard_bytes(), stripe.shards().data(),
      stripe.lengths().data(), stripe.k(), parity.pointers(), parity.count(), nullptr, &error);
  ASSERT_EQ(Said(status, error), "0 ") << error.message;
  for (uint32_t r = 0; r < stripe.m(); ++r) {
    EXPECT_EQ(parity.Contents(r), stripe.Contents(stripe.k() + r)) << "parity " << r;
  }
  EXPECT_TRUE(parity.guards_are_whole());
}

void CheckReconstruct(parity_client* client, Stripe& stripe) {
  const uint32_t total = stripe.k() + stripe.m();
  const std::vector<uint32_t> lost = stripe.Choose(1 + stripe.random()() % stripe.m(), total);
  std::vector<uint32_t> present = Without(lost, total);
  std::shuffle(present.begin(), present.end(), stripe.random());
  std::vector<const uint8_t*> shards;
  std::vector<size_t> lengths;
  std::vector<client::ShardBytes> spans;
  for (const uint32_t shard : present) {
    shards.push_back(stripe.shards()[shard]);
    lengths.push_back(stripe.lengths()[shard]);
    spans.emplace_back(shards.back(), lengths.back());
  }
  Outputs out(lost.size(), stripe.shard_bytes());
  Outputs want(lost.size(), stripe.shard_bytes());
  parity_error error = Dirty();
  const parity_status status = parity_reconstruct(
      client, &stripe.geometry(), stripe.shard_bytes(), present.data(), shards.data(),
      lengths.data(), present.size(), lost.data(), out.pointers(), lost.size(), nullptr, &error);
  const absl::Status wanted =
      Oracle().Reconstruct(stripe.codec_geometry(), present, spans, stripe.shard_bytes(), lost,
                           {want.pointers(), want.count()});
  ExpectSame(wanted, status, error);
  EXPECT_TRUE(out.guards_are_whole());
  if (status != PARITY_OK) return;
  for (size_t i = 0; i < lost.size(); ++i) {
    EXPECT_EQ(out.Contents(i), stripe.Contents(lost[i])) << "shard " << lost[i];
  }
}

void CheckVerify(parity_client* client, Stripe& stripe) {
  CompareVerify(client, stripe);
  const uint32_t total = stripe.k() + stripe.m();
  for (const uint32_t shard : stripe.Choose(std::min(total, 2U), total)) {
    const size_t bytes = stripe.lengths()[shard];
    if (bytes == 0) continue;
    uint8_t& byte = stripe.mutable_shard(shard)[stripe.random()() % bytes];
    byte ^= 0x10;
    CompareVerify(client, stripe);
    byte ^= 0x10;
  }
}

void CheckUpdate(parity_client* client, Stripe& stripe) {
  const std::vector<uint32_t> changed =
      stripe.Choose(stripe.random()() % (stripe.k() + 1), stripe.k());
  std::vector<const uint8_t*> old_shards, new_shards;
  std::vector<size_t> old_lengths, new_lengths;
  std::vector<Memory> contents;
  contents.reserve(changed.size());
  std::vector<client::ShardBytes> data = Spans(stripe);
  data.resize(stripe.k());
  for (const uint32_t shard : changed) {
    old_shards.push_back(stripe.shards()[shard]);
    old_lengths.push_back(stripe.lengths()[shard]);
    new_lengths.push_back(stripe.random()() % (stripe.shard_bytes() + 1));
    Memory& memory = contents.emplace_back(new_lengths.back(), shard + 1);
    std::generate_n(memory.data(), new_lengths.back(), [&] { return stripe.random()(); });
    new_shards.push_back(memory.data());
    data[shard] = {memory.data(), new_lengths.back()};
  }
  Outputs parity(stripe.m(), stripe.shard_bytes());
  for (uint32_t r = 0; r < stripe.m(); ++r) {
    const std::vector<uint8_t> before = stripe.Contents(stripe.k() + r);
    std::copy(before.begin(), before.end(), parity.pointers()[r]);
  }
  parity_error error = Dirty();
  const parity_status status =
      parity_update(client, &stripe.geometry(), stripe.shard_bytes(), changed.data(),
                    old_shards.data(), old_lengths.data(), new_shards.data(), new_lengths.data(),
                    changed.size(), parity.pointers(), parity.count(), nullptr, &error);
  ASSERT_EQ(Said(status, error), "0 ") << error.message;
  Outputs want(stripe.m(), stripe.shard_bytes());
  ASSERT_TRUE(Oracle()
                  .Encode(stripe.codec_geometry(), data, stripe.shard_bytes(),
                          {want.pointers(), want.count()})
                  .ok());
  for (uint32_t r = 0; r < stripe.m(); ++r) EXPECT_EQ(parity.Contents(r), want.Contents(r));
  EXPECT_TRUE(parity.guards_are_whole());
}

void CheckShardsNeeded(Stripe& stripe) {
  const uint32_t total = stripe.k() + stripe.m();
  // One more than can be lost, too.
  const std::vector<uint32_t> lost =
      stripe.Choose(std::min<uint32_t>(total, 1 + stripe.random()() % (stripe.m() + 1)), total);
  const std::vector<uint32_t> available = Without(lost, total);
  std::vector<uint32_t> needed(available.size());
  size_t count = 0;
  parity_error error = Dirty();
  const parity_status status =
      parity_shards_needed(&stripe.geometry(), available.data(), available.size(), lost.data(),
                           lost.size(), needed.data(), needed.size(), &count, &error);
  const auto want = client::ShardsNeeded(stripe.codec_geometry(), available, lost);
  ExpectSame(want.status(), status, error);
  if (status != PARITY_OK) return;
  needed.resize(count);
  EXPECT_EQ(needed, *want);
}

void CheckOperations(parity_client* client, Stripe& stripe) {
  CheckEncode(client, stripe);
  CheckReconstruct(client, stripe);
  CheckVerify(client, stripe);
  CheckUpdate(client, stripe);
  CheckShardsNeeded(stripe);
}

}  // namespace parity::capi
