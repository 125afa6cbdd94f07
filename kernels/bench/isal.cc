#include "isal.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "parity/kernels/cpu_features.h"

namespace parity::bench {
namespace {

using kernels::CpuFeatures;
using kernels::kAvx;
using kernels::kAvx2;
using kernels::kAvx512;
using kernels::kGfni;

constexpr size_t kAny = 1;
constexpr size_t kAlways = 0;

struct RaidRow {
  std::vector<RaidFunction> Isal::*list;
  CpuFeatures required;
  RaidFunction function;
};

// Those that need SSE4.1 require AVX here, which comes with it.
constexpr RaidRow kRaid[] = {
    {&Isal::xor_gen, 0, {"xor_gen", nullptr, 32, kAny, 128}},
    {&Isal::xor_gen, kAvx, {"xor_gen_sse", nullptr, 16, kAny, 128}},
    {&Isal::xor_gen, kAvx, {"xor_gen_avx", nullptr, 32, kAny, 128}},
    {&Isal::xor_gen, kAvx512, {"xor_gen_avx512", nullptr, kAny, kAny, kAlways}},
    {&Isal::pq_gen, 0, {"pq_gen", nullptr, 32, 32, kAlways}},
    {&Isal::pq_gen, kAvx, {"pq_gen_sse", nullptr, 16, 16, kAlways}},
    {&Isal::pq_gen, kAvx, {"pq_gen_avx", nullptr, 16, 16, kAlways}},
    {&Isal::pq_gen, kAvx2, {"pq_gen_avx2", nullptr, 32, 32, kAlways}},
    {&Isal::pq_gen, kAvx512, {"pq_gen_avx512", nullptr, kAny, 32, kAlways}},
    {&Isal::pq_gen, kAvx2 | kGfni, {"pq_gen_avx2_gfni", nullptr, kAny, 32, kAlways}},
    {&Isal::pq_gen, kAvx512 | kGfni, {"pq_gen_avx512_gfni", nullptr, kAny, 32, kAlways}},
    {&Isal::xor_check, 0, {"xor_check", nullptr, 16, kAny, 128}},
    {&Isal::pq_check, 0, {"pq_check", nullptr, 16, 16, kAlways}},
};

struct Suffix {
  const char* encode;
  const char* update;
  CpuFeatures required;
  TableForm form;
};

constexpr Suffix kGf[] = {
    {"ec_encode_data", "ec_encode_data_update", 0, TableForm::kDispatched},
    {"ec_encode_data_sse", "ec_encode_data_update_sse", kAvx, TableForm::kNibbles},
    {"ec_encode_data_avx", "ec_encode_data_update_avx", kAvx, TableForm::kNibbles},
    {"ec_encode_data_avx2", "ec_encode_data_update_avx2", kAvx2, TableForm::kNibbles},
    {"ec_encode_data_avx512", "ec_encode_data_update_avx512", kAvx512, TableForm::kNibbles},
    {"ec_encode_data_avx2_gfni", "ec_encode_data_update_avx2_gfni", kAvx2 | kGfni,
     TableForm::kAffine},
    {"ec_encode_data_avx512_gfni", "ec_encode_data_update_avx512_gfni", kAvx512 | kGfni,
     TableForm::kAffine},
};

template <class Function>
Function Find(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

std::vector<uint8_t> Isal::Tables(const Matrix& matrix, TableForm form) const {
  const size_t k = matrix.front().size();
  std::vector<uint8_t> flat;
  for (const std::vector<uint8_t>& row : matrix) flat.insert(flat.end(), row.begin(), row.end());
  std::vector<uint8_t> tables(flat.size() * 32);
  init_tables[static_cast<int>(form)](static_cast<int>(k), static_cast<int>(matrix.size()),
                                      flat.data(), tables.data());
  return tables;
}

absl::StatusOr<Isal> OpenIsal(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return absl::NotFoundError(dlerror());

  Isal isal;
  Dl_info found;
  if (dladdr(dlsym(handle, "ec_init_tables"), &found) != 0) {
    std::error_code unresolved;
    isal.path = std::filesystem::canonical(found.dli_fname, unresolved).string();
  }
  using InitTables = void (*)(int, int, uint8_t*, uint8_t*);
  const auto dispatched = Find<InitTables>(handle, "ec_init_tables");
  const auto nibbles = Find<InitTables>(handle, "ec_init_tables_base");
  const auto affine = Find<InitTables>(handle, "ec_init_tables_gfni");
  // Before 2.31 there is one form.
  isal.init_tables[static_cast<int>(TableForm::kDispatched)] = dispatched;
  isal.init_tables[static_cast<int>(TableForm::kNibbles)] =
      nibbles == nullptr && affine == nullptr ? dispatched : nibbles;
  isal.init_tables[static_cast<int>(TableForm::kAffine)] = affine;

  const CpuFeatures features = kernels::FeaturesOf(kernels::ReadCpuRegisters());
  for (const RaidRow& row : kRaid) {
    RaidFunction function = row.function;
    function.run = Find<decltype(function.run)>(handle, function.name);
    if (function.run == nullptr || (row.required & ~features) != 0) continue;
    (isal.*row.list).push_back(function);
  }
  for (const Suffix& gf : kGf) {
    if ((gf.required & ~features) != 0) continue;
    if (isal.init_tables[static_cast<int>(gf.form)] == nullptr) continue;
    const EncodeFunction encode = {gf.encode,
                                   Find<decltype(EncodeFunction::run)>(handle, gf.encode), gf.form};
    if (encode.run != nullptr) isal.encode.push_back(encode);
    const UpdateFunction update = {gf.update,
                                   Find<decltype(UpdateFunction::run)>(handle, gf.update), gf.form};
    if (update.run != nullptr) isal.update.push_back(update);
  }
  if (isal.xor_gen.empty() || isal.encode.empty()) {
    return absl::NotFoundError(absl::StrCat(library, ": not an ISA-L library"));
  }
  return isal;
}

}  // namespace parity::bench
