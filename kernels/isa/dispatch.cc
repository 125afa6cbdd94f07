#include "parity/kernels/dispatch.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tables.h"

namespace parity::kernels {
namespace {

// Best first where wide vectors cost nothing; "scalar" is the last in any order.
constexpr const KernelTable* kTables[] = {
#if defined(__x86_64__)
    &kAvx512GfniTable, &kAvx512YmmGfniTable, &kAvx2GfniTable, &kAvx512Table, &kAvx512YmmTable,
    &kAvx2Table,       &kAvxTable,           &kSsse3Table,    &kSse2Table,
#elif defined(__aarch64__)
    &kNeonSha3Table,
    &kNeonTable,
#endif
    &kScalarTable,
};

}  // namespace

std::vector<const KernelTable*> UsableTables(const CpuRegisters& registers) {
  const CpuFeatures features = FeaturesOf(registers);
  std::vector<const KernelTable*> usable;
  for (const KernelTable* table : kTables) {
    if ((table->required & ~features) == 0) usable.push_back(table);
  }
  if (PrefersNarrowVectors(registers)) {
    std::stable_partition(usable.begin(), usable.end() - 1, [](const KernelTable* table) {
      return table->vector_bytes < kWideVectorBytes;
    });
  }
  return usable;
}

absl::StatusOr<const KernelTable*> SelectTable(std::string_view name) {
  const std::vector<const KernelTable*> usable = UsableTables(ReadCpuRegisters());
  if (name.empty() || name == "auto") return usable.front();
  std::string wanted = "auto";
  for (const KernelTable* table : usable) {
    if (name == table->name) return table;
    absl::StrAppend(&wanted, table == usable.back() ? " or " : ", ", table->name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("kernels: got ", std::string(name), ", want ", wanted));
}

}  // namespace parity::kernels
