// Runs a parametrised test once for every kernel table that this CPU can run.
#ifndef PARITY_TESTS_KERNELS_EVERY_TABLE_H_
#define PARITY_TESTS_KERNELS_EVERY_TABLE_H_

#include <ostream>
#include <string>

#include "gtest/gtest.h"
#include "parity/kernels/dispatch.h"

namespace parity::kernels {

inline void PrintTo(const KernelTable* table, std::ostream* out) { *out << table->name; }

class TableTest : public testing::TestWithParam<const KernelTable*> {
 protected:
  const KernelTable& table() const { return *GetParam(); }
};

inline std::string TableName(const testing::TestParamInfo<const KernelTable*>& info) {
  return info.param->name;
}

#define INSTANTIATE_FOR_EVERY_TABLE(Suite)                                                         \
  INSTANTIATE_TEST_SUITE_P(EveryTable, Suite, testing::ValuesIn(UsableTables(ReadCpuRegisters())), \
                           TableName)

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_EVERY_TABLE_H_
