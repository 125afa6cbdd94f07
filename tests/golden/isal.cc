// Writes the cases of isal.txt: parity computed by Intel's ISA-L.
#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "generator.h"

namespace {

struct Shape {
  int k;
  int m;
};

constexpr int kLengths[] = {1, 16, 33, 100, 257};
int cases = 0;

void Require(int error, const char* function) {
  if (error == 0) return;
  std::fprintf(stderr, "isal: %s failed\n", function);
  std::exit(1);
}

void Xor(int k, int shard_bytes) {
  FillStripe(k, 1, shard_bytes);
  Require(xor_gen(k + 1, shard_bytes, reinterpret_cast<void**>(shards)), "xor_gen");
  PrintCase("xor", "none", k, 1, shard_bytes);
  PrintParity(k, 1, shard_bytes);
  ++cases;
}

void Raid6(int k, int shard_bytes) {
  FillStripe(k, 2, shard_bytes);
  const int rounded_up = (shard_bytes + 31) / 32 * 32;  // all that pq_gen takes
  Require(pq_gen(k + 2, rounded_up, reinterpret_cast<void**>(shards)), "pq_gen");
  PrintCase("raid6", "none", k, 2, shard_bytes);
  PrintParity(k, 2, shard_bytes);
  ++cases;
}

// `generate` makes all k + m rows, the first k of them the identity.
void ReedSolomon(void (*generate)(unsigned char*, int, int), const char* matrix, Shape shape,
                 int shard_bytes) {
  const auto [k, m] = shape;
  std::vector<unsigned char> rows(static_cast<size_t>(k + m) * k);
  generate(rows.data(), k + m, k);
  std::vector<unsigned char> tables(static_cast<size_t>(32) * k * m);
  ec_init_tables(k, m, &rows[static_cast<size_t>(k) * k], tables.data());
  FillStripe(k, m, shard_bytes);
  ec_encode_data(shard_bytes, k, m, tables.data(), shards, shards + k);
  PrintCase("rs", matrix, k, m, shard_bytes);
  PrintParity(k, m, shard_bytes);
  ++cases;
}

}  // namespace

int main() {
  for (const int k : {2, 3, 5, 17}) {
    for (const int bytes : kLengths) Xor(k, bytes);
  }
  Xor(255, 16);

  for (const int k : {2, 4, 10, 17}) {
    for (const int bytes : kLengths) Raid6(k, bytes);
  }
  Raid6(255, 16);

  for (const Shape shape : {Shape{1, 1}, {4, 2}, {6, 3}, {5, 5}, {8, 4}, {10, 4}, {17, 3}}) {
    for (const int bytes : kLengths) ReedSolomon(gf_gen_cauchy1_matrix, "cauchy", shape, bytes);
  }
  for (const Shape shape : {Shape{20, 12}, {2, 254}, {201, 55}}) {
    ReedSolomon(gf_gen_cauchy1_matrix, "cauchy", shape, 16);
  }

  // Only shapes of which erasure_code.h says that any k shards restore the stripe.
  for (const Shape shape : {Shape{1, 1}, {4, 2}, {6, 3}, {3, 5}, {8, 4}, {10, 4}, {17, 3}}) {
    for (const int bytes : kLengths) ReedSolomon(gf_gen_rs_matrix, "vandermonde", shape, bytes);
  }
  for (const Shape shape : {Shape{4, 21}, {253, 3}}) {
    ReedSolomon(gf_gen_rs_matrix, "vandermonde", shape, 16);
  }

  std::printf("end %d\n", cases);
}
