// The yardstick: an ISA-L library opened while the program runs, so that any build of it will do.
#ifndef PARITY_KERNELS_BENCH_ISAL_H_
#define PARITY_KERNELS_BENCH_ISAL_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "erasure_code.h"

namespace parity::bench {

// A function over an array of sources followed by parity: 0 is success, or "consistent".
//
// What it accepts is what raid.h says of the dispatched functions, and what the assembly files say
// of the others: those that read and write by vmovdqu8 accept any pointer, those that use (v)movdqa
// or non-temporal moves need aligned ones; each returns an error for a length that is not its
// multiple.
struct RaidFunction {
  const char* name;
  int (*run)(int vectors, int bytes, void** array);
  size_t pointer_alignment;
  size_t length_multiple;
  // Below this length it uses no vector instruction, and so accepts any pointer.
  size_t vectors_from;
};

// How a matrix is handed over. The dispatched functions need what ec_init_tables makes, which
// depends on the CPU.
enum class TableForm { kDispatched, kNibbles, kAffine };

// Functions that accept any pointer and any length.
struct EncodeFunction {
  const char* name;
  void (*run)(int bytes, int k, int rows, uint8_t* tables, uint8_t** data, uint8_t** coding);
  TableForm form;
};
struct UpdateFunction {
  const char* name;
  void (*run)(int bytes, int k, int rows, int index, uint8_t* tables, uint8_t* data,
              uint8_t** coding);
  TableForm form;
};

// The functions that the library has and this CPU can run.
struct Isal {
  std::string path;  // of the file, links followed: its name tells the version
  std::vector<RaidFunction> xor_gen;
  std::vector<RaidFunction> pq_gen;
  std::vector<RaidFunction> xor_check;
  std::vector<RaidFunction> pq_check;
  std::vector<EncodeFunction> encode;
  std::vector<UpdateFunction> update;
  void (*init_tables[3])(int k, int rows, uint8_t* matrix, uint8_t* tables);  // by TableForm

  std::vector<uint8_t> Tables(const Matrix& matrix, TableForm form) const;
};

// Opens a shared library, by path or by a name that the loader looks up, and never closes it.
// NOT_FOUND if it cannot be opened or is not an ISA-L.
absl::StatusOr<Isal> OpenIsal(const std::string& library);

}  // namespace parity::bench

#endif  // PARITY_KERNELS_BENCH_ISAL_H_
