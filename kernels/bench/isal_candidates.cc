#include "isal_candidates.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

using timing::Repeated;

using Pointers = std::vector<uint8_t*>;

Pointers Concatenated(const Pointers& first, const Pointers& second) {
  Pointers all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

bool Accepts(const RaidFunction& function, const Pointers& pointers, size_t bytes) {
  if (bytes % function.length_multiple != 0) return false;
  if (bytes < function.vectors_from) return true;
  return std::all_of(pointers.begin(), pointers.end(), [&](const uint8_t* pointer) {
    return reinterpret_cast<uintptr_t>(pointer) % function.pointer_alignment == 0;
  });
}

// Computes `bytes` of parity from the first pointers of the array into the last ones.
using Generate = std::function<void(int bytes, uint8_t** array)>;
struct Generator {
  std::string name;
  Generate generate;
};

int RunRaid(const RaidFunction& function, const Pointers& array, size_t bytes) {
  return function.run(static_cast<int>(array.size()), static_cast<int>(bytes),
                      reinterpret_cast<void**>(const_cast<uint8_t**>(array.data())));
}

// What the calls of a candidate share.
struct Encoding {
  EncodeFunction function;
  std::vector<uint8_t> tables;
  int k;
  int rows;

  void Run(int bytes, uint8_t** data, uint8_t** coding) {
    function.run(bytes, k, rows, tables.data(), data, coding);
  }
};

std::vector<std::shared_ptr<Encoding>> Encodings(const Isal& isal, const Stripe& stripe) {
  std::vector<std::shared_ptr<Encoding>> encodings;
  for (const EncodeFunction& function : isal.encode) {
    encodings.push_back(std::make_shared<Encoding>(
        Encoding{function, isal.Tables(stripe.matrix, function.form),
                 static_cast<int>(stripe.sources.size()), static_cast<int>(stripe.matrix.size())}));
  }
  return encodings;
}

void AddRaid(const std::vector<RaidFunction>& functions, const Row& row, const Stripe& stripe,
             std::vector<Candidate>& candidates) {
  const Pointers array = Concatenated(stripe.sources, stripe.outputs);
  for (const RaidFunction& function : functions) {
    if (!Accepts(function, array, row.bytes)) continue;
    candidates.push_back({function.name, Repeated([function, array, bytes = row.bytes] {
                            RunRaid(function, array, bytes);
                          })});
  }
}

void AddEncode(const Isal& isal, const Row& row, Stripe& stripe,
               std::vector<Candidate>& candidates) {
  for (const std::shared_ptr<Encoding>& encoding : Encodings(isal, stripe)) {
    candidates.push_back({encoding->function.name,
                          Repeated([encoding, &stripe, bytes = static_cast<int>(row.bytes)] {
                            encoding->Run(bytes, stripe.sources.data(), stripe.outputs.data());
                          })});
  }
}

// The ways to put old + new into the scratch shard.
std::vector<RaidFunction> Deltas(const Isal& isal, const Row& row, const Stripe& stripe) {
  std::vector<RaidFunction> deltas;
  const Pointers array = Concatenated(stripe.sources, stripe.scratch);
  for (const RaidFunction& function : isal.xor_gen) {
    if (Accepts(function, array, row.bytes)) deltas.push_back(function);
  }
  return deltas;
}

// The delta's update, or that of the old shard and that of the new one.
void AddUpdate(const Isal& isal, const Row& row, Stripe& stripe,
               std::vector<Candidate>& candidates) {
  const int bytes = static_cast<int>(row.bytes);
  const int k = static_cast<int>(row.k);
  const int m = static_cast<int>(row.m);
  for (const UpdateFunction& function : isal.update) {
    const auto tables =
        std::make_shared<std::vector<uint8_t>>(isal.Tables(stripe.matrix, function.form));
    const auto update = [function, tables, &stripe, bytes, k, m](uint8_t* shard) {
      function.run(bytes, k, m, kUpdatedShard, tables->data(), shard, stripe.outputs.data());
    };
    candidates.push_back({absl::StrCat("2*", function.name), Repeated([update, &stripe] {
                            update(stripe.sources[0]);
                            update(stripe.sources[1]);
                          })});
    const Pointers array = Concatenated(stripe.sources, stripe.scratch);
    for (const RaidFunction& delta : Deltas(isal, row, stripe)) {
      candidates.push_back({absl::StrCat(delta.name, "+", function.name),
                            Repeated([update, delta, array, &stripe, bytes = row.bytes] {
                              RunRaid(delta, array, bytes);
                              update(stripe.scratch[0]);
                            })});
    }
  }
}

void AddCheck(const std::vector<RaidFunction>& functions, const Row& row, Stripe& stripe,
              std::vector<Candidate>& candidates) {
  const Pointers array = Concatenated(stripe.sources, stripe.outputs);
  for (const RaidFunction& function : functions) {
    if (!Accepts(function, array, row.bytes)) continue;
    candidates.push_back({function.name, Repeated([function, array, &stripe, bytes = row.bytes] {
                            stripe.consistent = RunRaid(function, array, bytes) == 0;
                          })});
  }
}

// Computes the parity anew, in pieces that stay in the L1 cache, and compares.
void AddGenerateAndCompare(const Generator& generator, const Row& row, Stripe& stripe,
                           std::vector<Candidate>& candidates) {
  const auto array = std::make_shared<Pointers>(Concatenated(stripe.sources, stripe.scratch));
  const auto run = [generate = generator.generate, array, &stripe, total = row.bytes] {
    const size_t k = stripe.sources.size();
    stripe.consistent = true;
    for (size_t at = 0; at < total; at += kVerifyPieceBytes) {
      const size_t bytes = std::min(kVerifyPieceBytes, total - at);
      for (size_t j = 0; j < k; ++j) (*array)[j] = stripe.sources[j] + at;
      generate(static_cast<int>(bytes), array->data());
      for (size_t r = 0; r < stripe.outputs.size(); ++r) {
        if (std::memcmp(stripe.scratch[r], stripe.outputs[r] + at, bytes) != 0) {
          stripe.consistent = false;
          return;
        }
      }
    }
  };
  candidates.push_back({absl::StrCat(generator.name, "+memcmp"), Repeated(run)});
}

std::vector<Generator> EncodeGenerators(const Isal& isal, const Stripe& stripe) {
  std::vector<Generator> generators;
  for (const std::shared_ptr<Encoding>& encoding : Encodings(isal, stripe)) {
    generators.push_back({encoding->function.name, [encoding](int bytes, uint8_t** array) {
                            encoding->Run(bytes, array, array + encoding->k);
                          }});
  }
  return generators;
}

// Those that accept every piece.
std::vector<Generator> RaidGenerators(const std::vector<RaidFunction>& functions, const Row& row,
                                      const Stripe& stripe) {
  const Pointers array = Concatenated(stripe.sources, stripe.scratch);
  const int vectors = static_cast<int>(array.size());
  std::vector<Generator> generators;
  for (const RaidFunction& function : functions) {
    if (!Accepts(function, array, row.bytes)) continue;
    generators.push_back({function.name, [function, vectors](int bytes, uint8_t** pointers) {
                            function.run(vectors, bytes, reinterpret_cast<void**>(pointers));
                          }});
  }
  return generators;
}

void AddVerify(const Isal& isal, const std::vector<RaidFunction>& gen,
               const std::vector<RaidFunction>& check, const Row& row, Stripe& stripe,
               std::vector<Candidate>& candidates) {
  AddCheck(check, row, stripe, candidates);
  for (const Generator& generator : RaidGenerators(gen, row, stripe)) {
    AddGenerateAndCompare(generator, row, stripe, candidates);
  }
  for (const Generator& generator : EncodeGenerators(isal, stripe)) {
    AddGenerateAndCompare(generator, row, stripe, candidates);
  }
}

}  // namespace

std::vector<Candidate> IsalCandidates(const Isal& isal, const Row& row, Stripe& stripe) {
  std::vector<Candidate> candidates;
  switch (row.op) {
    case Op::kXor:
      AddRaid(isal.xor_gen, row, stripe, candidates);
      AddEncode(isal, row, stripe, candidates);
      break;
    case Op::kPq:
      AddRaid(isal.pq_gen, row, stripe, candidates);
      AddEncode(isal, row, stripe, candidates);
      break;
    case Op::kRs:
    case Op::kReconstruct:
      AddEncode(isal, row, stripe, candidates);
      break;
    case Op::kUpdate:
      AddUpdate(isal, row, stripe, candidates);
      break;
    case Op::kVerifyXor:
      AddVerify(isal, isal.xor_gen, isal.xor_check, row, stripe, candidates);
      break;
    case Op::kVerifyPq:
      AddVerify(isal, isal.pq_gen, isal.pq_check, row, stripe, candidates);
      break;
    case Op::kVerifyRs:
      AddVerify(isal, {}, {}, row, stripe, candidates);
      break;
  }
  return candidates;
}

}  // namespace parity::bench
