// Runs a parametrised test once for every kernel table that this CPU can run, or for every
// operation of every such table.
#ifndef PARITY_TESTS_KERNELS_EVERY_TABLE_H_
#define PARITY_TESTS_KERNELS_EVERY_TABLE_H_

#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "operation.h"
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

// A table, and an operation or a comparison.
template <class Entry>
using EntryOfTable = std::tuple<const KernelTable*, Entry>;

template <class Entry>
std::string EntryName(const testing::TestParamInfo<EntryOfTable<Entry>>& info) {
  const auto& [table, entry] = info.param;
  return std::string(table->name) + "_" + entry.name;
}

class OperationTest : public testing::TestWithParam<EntryOfTable<Operation>> {
 protected:
  const KernelTable& table() const { return *std::get<0>(GetParam()); }
  const Operation& operation() const { return std::get<1>(GetParam()); }

  Job JobOf(size_t k, size_t m) const { return JobFor(operation(), k, m); }
  void Run(const Job& job, const Tuning& tuning = HostTuning()) const {
    operation().run(table(), &job, 1, tuning);
  }
};

#define INSTANTIATE_FOR_EVERY_OPERATION(Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(EveryTable, Suite,                                                    \
                           testing::Combine(testing::ValuesIn(UsableTables(ReadCpuRegisters())), \
                                            testing::ValuesIn(kOperations)),                     \
                           EntryName<Operation>)

class ComparisonTest : public testing::TestWithParam<EntryOfTable<Comparison>> {
 protected:
  const KernelTable& table() const { return *std::get<0>(GetParam()); }
  const Comparison& comparison() const { return std::get<1>(GetParam()); }

  Job JobOf(size_t k, size_t m) const { return JobFor(comparison().code, k, m); }
  // What the comparison found; what was there before looks like a difference at 0.
  std::vector<size_t> FoundIn(const Job& job) const {
    std::vector<size_t> first_differences(job.m());
    comparison().run(table(), &job, 1, &first_differences);
    return first_differences;
  }
};

#define INSTANTIATE_FOR_EVERY_COMPARISON(Suite)                                                  \
  INSTANTIATE_TEST_SUITE_P(EveryTable, Suite,                                                    \
                           testing::Combine(testing::ValuesIn(UsableTables(ReadCpuRegisters())), \
                                            testing::ValuesIn(kComparisons)),                    \
                           EntryName<Comparison>)

}  // namespace parity::kernels

#endif  // PARITY_TESTS_KERNELS_EVERY_TABLE_H_
