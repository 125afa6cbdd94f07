// Wrong arguments: each is an error that names it, and nothing is followed or written.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "owned_handles.h"
#include "parity.h"
#include "stripe.h"

namespace parity::capi {
namespace {

// Arguments of all operations on a stripe of 4 + 2, right until a test spoils one.
struct Arguments {
  ClientHandle owned = MakeClient();
  parity_client* client = owned.get();
  parity_geometry geometry = {PARITY_CODE_REED_SOLOMON, 0, 4, 2, nullptr, 0};
  const parity_geometry* geometry_pointer = &geometry;
  Stripe stripe{geometry, 100, 1};
  size_t shard_bytes = 100;
  std::vector<const uint8_t*> shards = stripe.shards();
  std::vector<size_t> lengths = stripe.lengths();
  std::vector<uint32_t> present = {0, 1, 2, 3};
  std::vector<uint32_t> wanted = {4, 5};
  Outputs outputs{2, 100};
  std::vector<uint8_t*> out = {outputs.pointers()[0], outputs.pointers()[1]};
  parity_call_options options = {sizeof(parity_call_options), 0, nullptr, nullptr};
  parity_mismatch mismatches[2];
  size_t mismatch_count = 0;
  size_t needed_count = 0;
  uint32_t needed[4];

  // What each says, with null instead of an empty array.
  template <class T>
  static T* Pointer(std::vector<T>& array) {
    return array.empty() ? nullptr : array.data();
  }
  size_t shard_count = 4;
  size_t out_count = 2;
  size_t index_count = 4;

  std::string Encode() {
    parity_error error = Dirty();
    const parity_status status =
        parity_encode(client, geometry_pointer, shard_bytes, Pointer(shards), Pointer(lengths),
                      shard_count, Pointer(out), out_count, &options, &error);
    return Said(status, error);
  }
  std::string Reconstruct() {
    parity_error error = Dirty();
    const parity_status status = parity_reconstruct(
        client, geometry_pointer, shard_bytes, Pointer(present), Pointer(shards), Pointer(lengths),
        index_count, Pointer(wanted), Pointer(out), out_count, &options, &error);
    return Said(status, error);
  }
  std::string Verify(size_t count = 6) {
    parity_error error = Dirty();
    const parity_status status =
        parity_verify(client, geometry_pointer, shard_bytes, Pointer(shards), Pointer(lengths),
                      count, mismatches, 2, &mismatch_count, nullptr, &options, &error);
    return Said(status, error);
  }
  std::string Update() {
    parity_error error = Dirty();
    const parity_status status = parity_update(
        client, geometry_pointer, shard_bytes, Pointer(present), Pointer(shards), Pointer(lengths),
        Pointer(shards), Pointer(lengths), index_count, Pointer(out), out_count, &options, &error);
    return Said(status, error);
  }
  std::string ShardsNeeded() {
    parity_error error = Dirty();
    const parity_status status =
        parity_shards_needed(geometry_pointer, Pointer(present), index_count, Pointer(wanted),
                             out_count, needed, 4, &needed_count, &error);
    return Said(status, error);
  }
  // Of the operations on stripes, which all say the same.
  std::string All() {
    std::string said = Encode();
    EXPECT_EQ(Reconstruct(), said);
    EXPECT_EQ(Verify(), said);
    EXPECT_EQ(Update(), said);
    return said;
  }
};

TEST(CapiArguments, AreRightUntilATestSpoilsOne) {
  Arguments arguments;
  EXPECT_EQ(arguments.All(), "0 ");
  EXPECT_EQ(arguments.ShardsNeeded(), "0 ");
}

TEST(CapiArguments, AllOperationsNameWhatAllTake) {
  using Spoil = std::function<void(Arguments&)>;
  const std::pair<std::string, Spoil> cases[] = {
      {"3 client", [](Arguments& a) { a.client = nullptr; }},
      {"3 geometry", [](Arguments& a) { a.geometry_pointer = nullptr; }},
      {"3 geometry.code", [](Arguments& a) { a.geometry.code = 0; }},
      {"3 geometry.code", [](Arguments& a) { a.geometry.code = 4; }},
      {"3 geometry.code", [](Arguments& a) { a.geometry.code = 256 + PARITY_CODE_XOR; }},
      {"3 geometry.matrix", [](Arguments& a) { a.geometry.matrix = 5; }},
      {"3 geometry.matrix", [](Arguments& a) { a.geometry.matrix = 256; }},
      {"3 geometry.matrix",
       [](Arguments& a) {
         a.geometry.code = PARITY_CODE_RAID6;
         a.geometry.matrix = PARITY_MATRIX_CAUCHY;
       }},
      {"3 geometry.data_shards", [](Arguments& a) { a.geometry.data_shards = 0; }},
      {"3 geometry.data_shards", [](Arguments& a) { a.geometry.data_shards = UINT32_MAX; }},
      {"3 geometry.parity_shards", [](Arguments& a) { a.geometry.parity_shards = 0; }},
      {"3 geometry.generator", [](Arguments& a) { a.geometry.generator_bytes = 8; }},
      {"3 geometry.generator",
       [](Arguments& a) {
         a.geometry.generator = a.shards[0];
         a.geometry.generator_bytes = 8;
       }},
      {"3 geometry.generator",
       [](Arguments& a) {
         a.geometry.matrix = PARITY_MATRIX_CUSTOM;
         a.geometry.generator = a.shards[0];
         a.geometry.generator_bytes = 7;
       }},
      {"3 geometry.generator", [](Arguments& a) { a.geometry.matrix = PARITY_MATRIX_CUSTOM; }},
      {"3 shard_bytes", [](Arguments& a) { a.shard_bytes = 0; }},
      {"3 options.struct_bytes", [](Arguments& a) { a.options.struct_bytes = 0; }},
      {"3 options.struct_bytes", [](Arguments& a) { ++a.options.struct_bytes; }},
      {"3 traceparent", [](Arguments& a) { a.options.traceparent = "x"; }},
      {"4 ", [](Arguments& a) { a.options.deadline_ms = -1; }},
  };
  for (const auto& [said, spoil] : cases) {
    Arguments arguments;
    spoil(arguments);
    EXPECT_EQ(arguments.All(), said);
  }
}

TEST(CapiArguments, ShardsAreNamedWithTheirIndex) {
  Arguments arguments;
  arguments.shards[3] = nullptr;
  EXPECT_EQ(arguments.Encode(), "3 shards[3]");
  EXPECT_EQ(arguments.Reconstruct(), "3 shards[3]");
  EXPECT_EQ(arguments.Verify(), "3 shards[3]");
  EXPECT_EQ(arguments.Update(), "3 old_shards[3]");
  arguments.lengths[3] = 0;
  EXPECT_EQ(arguments.All(), "0 ") << "a shard of no bytes may be NULL";
  arguments.shards.clear();
  EXPECT_EQ(arguments.Encode(), "3 shards");
  EXPECT_EQ(arguments.Reconstruct(), "3 shards");
  EXPECT_EQ(arguments.Verify(), "3 shards");
  EXPECT_EQ(arguments.Update(), "3 old_shards");
}

TEST(CapiArguments, NewShardsAreNotTakenForOldOnes) {
  Arguments a;
  std::vector<const uint8_t*> new_shards = a.shards;
  new_shards[2] = nullptr;
  parity_error error = Dirty();
  EXPECT_EQ(
      Said(parity_update(a.client, &a.geometry, 100, a.present.data(), a.shards.data(), nullptr,
                         new_shards.data(), nullptr, 4, a.out.data(), 2, nullptr, &error),
           error),
      "3 new_shards[2]");
  EXPECT_EQ(Said(parity_update(a.client, &a.geometry, 100, a.present.data(), a.shards.data(),
                               nullptr, nullptr, nullptr, 4, a.out.data(), 2, nullptr, &error),
                 error),
            "3 new_shards");
}

TEST(CapiArguments, LengthsAreAtMostShardBytes) {
  Arguments arguments;
  arguments.lengths[2] = 101;
  EXPECT_EQ(arguments.Encode(), "3 shards[2]");
  EXPECT_EQ(arguments.Reconstruct(), "3 shards[2]");
  EXPECT_EQ(arguments.Verify(), "3 shards[2]");
  EXPECT_EQ(arguments.Update(), "3 old_shards[2]");
}

TEST(CapiArguments, CountsGoWithTheGeometry) {
  for (const size_t count : {size_t{0}, size_t{3}, size_t{5}, SIZE_MAX}) {
    Arguments arguments;
    arguments.shard_count = count;
    EXPECT_EQ(arguments.Encode(), "3 shards") << count;
    EXPECT_EQ(arguments.Verify(count), "3 shards") << count;
    arguments.shard_count = 4;
    arguments.out_count = count;
    EXPECT_EQ(arguments.Encode(), "3 parity") << count;
    EXPECT_EQ(arguments.Update(), "3 parity") << count;
  }
  Arguments arguments;
  arguments.index_count = SIZE_MAX;
  EXPECT_EQ(arguments.Reconstruct(), "3 present");
  EXPECT_EQ(arguments.Update(), "3 changed");
  EXPECT_EQ(arguments.ShardsNeeded(), "3 available");
  arguments.index_count = 0;
  EXPECT_EQ(arguments.Reconstruct(), "3 present");
  EXPECT_EQ(arguments.Update(), "0 ") << "nothing has changed";
  arguments.index_count = 4;
  arguments.out_count = SIZE_MAX;
  EXPECT_EQ(arguments.Reconstruct(), "3 wanted");
  EXPECT_EQ(arguments.ShardsNeeded(), "3 wanted");
  arguments.out_count = 0;
  EXPECT_EQ(arguments.Reconstruct(), "3 wanted");
}

TEST(CapiArguments, IndicesAreOfTheStripe) {
  Arguments arguments;
  arguments.present[1] = 6;
  EXPECT_EQ(arguments.Reconstruct(), "3 present[1]");
  EXPECT_EQ(arguments.ShardsNeeded(), "3 available[1]");
  EXPECT_EQ(arguments.Update(), "3 changed[1]");
  arguments.present = {0, 1, 2, 2};
  EXPECT_EQ(arguments.Reconstruct(), "3 present[3]");
  arguments.present = {0, 1, 2, 3};
  arguments.wanted = {4, 3};
  EXPECT_EQ(arguments.Reconstruct(), "3 wanted[1]");
  arguments.present.clear();
  EXPECT_EQ(arguments.Reconstruct(), "3 present");
  EXPECT_EQ(arguments.Update(), "3 changed");
  EXPECT_EQ(arguments.ShardsNeeded(), "3 available");
  arguments.present = {0, 1, 2, 3};
  arguments.wanted.clear();
  EXPECT_EQ(arguments.Reconstruct(), "3 wanted");
  EXPECT_EQ(arguments.ShardsNeeded(), "3 wanted");
}

TEST(CapiArguments, OutputsAreThereAndApart) {
  Arguments arguments;
  uint8_t* const first = arguments.out[0];
  arguments.out[0] = nullptr;
  EXPECT_EQ(arguments.Encode(), "3 parity[0]");
  EXPECT_EQ(arguments.Reconstruct(), "3 out[0]");
  EXPECT_EQ(arguments.Update(), "3 parity[0]");
  arguments.out[0] = first;
  arguments.out[1] = first + 99;
  EXPECT_EQ(arguments.Encode(), "3 parity[1]");
  EXPECT_EQ(arguments.Reconstruct(), "3 out[1]");
  EXPECT_EQ(arguments.Update(), "3 parity[1]");
  arguments.out.clear();
  EXPECT_EQ(arguments.Encode(), "3 parity");
  EXPECT_EQ(arguments.Reconstruct(), "3 out");
  EXPECT_EQ(arguments.Update(), "3 parity");
}

TEST(CapiArguments, ResultsHaveAPlace) {
  Arguments a;
  parity_error error = Dirty();
  EXPECT_EQ(Said(parity_verify(a.client, &a.geometry, 100, a.shards.data(), nullptr, 6, nullptr, 1,
                               &a.mismatch_count, nullptr, nullptr, &error),
                 error),
            "3 mismatches");
  EXPECT_EQ(Said(parity_verify(a.client, &a.geometry, 100, a.shards.data(), nullptr, 6, nullptr, 0,
                               nullptr, nullptr, nullptr, &error),
                 error),
            "3 mismatch_count");
  EXPECT_EQ(Said(parity_shards_needed(&a.geometry, a.present.data(), 4, a.wanted.data(), 2, nullptr,
                                      4, &a.needed_count, &error),
                 error),
            "3 needed");
  EXPECT_EQ(Said(parity_shards_needed(&a.geometry, a.present.data(), 4, a.wanted.data(), 2,
                                      a.needed, 4, nullptr, &error),
                 error),
            "3 needed_count");
}

TEST(CapiArguments, AnErrorMayGoUntold) {
  EXPECT_EQ(parity_encode(nullptr, nullptr, 0, nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr),
            PARITY_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace parity::capi
