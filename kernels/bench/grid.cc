#include "grid.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace parity::bench {
namespace {

struct Shape {
  Op op;
  size_t k;
  size_t m;
};

constexpr Shape kShapes[] = {
    {Op::kXor, 2, 1},          {Op::kXor, 3, 1},          {Op::kXor, 4, 1},
    {Op::kXor, 5, 1},          {Op::kXor, 8, 1},          {Op::kXor, 10, 1},
    {Op::kXor, 16, 1},         {Op::kXor, 24, 1},         {Op::kXor, 32, 1},
    {Op::kXor, 33, 1},         {Op::kXor, 40, 1},         {Op::kXor, 64, 1},
    {Op::kXor, 128, 1},        {Op::kXor, 255, 1},        {Op::kPq, 2, 2},
    {Op::kPq, 3, 2},           {Op::kPq, 4, 2},           {Op::kPq, 6, 2},
    {Op::kPq, 8, 2},           {Op::kPq, 10, 2},          {Op::kPq, 16, 2},
    {Op::kPq, 24, 2},          {Op::kPq, 32, 2},          {Op::kPq, 64, 2},
    {Op::kRs, 4, 2},           {Op::kRs, 6, 3},           {Op::kRs, 10, 4},
    {Op::kRs, 17, 3},          {Op::kReconstruct, 4, 2},  {Op::kReconstruct, 10, 1},
    {Op::kReconstruct, 10, 2}, {Op::kReconstruct, 10, 4}, {Op::kUpdate, 4, 2},
    {Op::kUpdate, 10, 4},      {Op::kVerifyXor, 4, 1},    {Op::kVerifyPq, 8, 2},
    {Op::kVerifyRs, 4, 2},     {Op::kVerifyRs, 10, 4},
};

constexpr size_t kLengths[] = {16,   64,    100,   127,   512,     1000,    1111,    4096,
                               4097, 16384, 65536, 65537, 1 << 20, 4 << 20, 16 << 20};

constexpr Shape kQuickShapes[] = {
    {Op::kXor, 4, 1},       {Op::kXor, 16, 1},     {Op::kPq, 4, 2},           {Op::kPq, 8, 2},
    {Op::kRs, 4, 2},        {Op::kRs, 10, 4},      {Op::kReconstruct, 10, 2}, {Op::kUpdate, 10, 4},
    {Op::kVerifyXor, 4, 1}, {Op::kVerifyPq, 8, 2}, {Op::kVerifyRs, 10, 4},
};

constexpr size_t kQuickLengths[] = {64, 1000, 4096, 65536, 1 << 20, 16 << 20};
constexpr size_t kQuickAlignmentsUpTo = 1 << 20;  // longer rows are page-aligned only

template <size_t kShapeCount, size_t kLengthCount>
std::vector<Row> Product(const Shape (&shapes)[kShapeCount],
                         const size_t (&lengths)[kLengthCount]) {
  std::vector<Row> rows;
  for (const Shape& shape : shapes) {
    for (const size_t bytes : lengths) {
      for (const Alignment alignment : kAlignments) {
        rows.push_back({shape.op, shape.k, shape.m, bytes, alignment});
      }
    }
  }
  return rows;
}

bool ImpliesM(Op op) {
  return op == Op::kXor || op == Op::kPq || op == Op::kVerifyXor || op == Op::kVerifyPq;
}

}  // namespace

const char* NameOf(Op op) {
  switch (op) {
    case Op::kXor:
      return "xor";
    case Op::kPq:
      return "pq";
    case Op::kRs:
      return "rs";
    case Op::kReconstruct:
      return "reconstruct";
    case Op::kUpdate:
      return "update";
    case Op::kVerifyXor:
      return "verify_xor";
    case Op::kVerifyPq:
      return "verify_pq";
    case Op::kVerifyRs:
      return "verify_rs";
  }
  return "";
}

const char* NameOf(Alignment alignment) {
  switch (alignment) {
    case Alignment::kPage:
      return "page";
    case Alignment::kPlus1:
      return "plus1";
    case Alignment::kPlus32:
      return "plus32";
    case Alignment::kRandom:
      return "random";
  }
  return "";
}

std::string NameOf(const Row& row) {
  const std::string m = ImpliesM(row.op) ? "" : absl::StrCat("/m=", row.m);
  return absl::StrCat(NameOf(row.op), "/k=", row.k, m, "/len=", row.bytes,
                      "/align=", NameOf(row.alignment));
}

size_t Sources(const Row& row) { return row.op == Op::kUpdate ? 2 : row.k; }

size_t SourceBytes(const Row& row) { return Sources(row) * row.bytes; }

std::vector<Row> FullGrid() { return Product(kShapes, kLengths); }

std::vector<Row> QuickGrid() {
  std::vector<Row> rows = Product(kQuickShapes, kQuickLengths);
  const auto takes_long = [](const Row& row) {
    return row.bytes > kQuickAlignmentsUpTo && row.alignment != Alignment::kPage;
  };
  rows.erase(std::remove_if(rows.begin(), rows.end(), takes_long), rows.end());
  return rows;
}

}  // namespace parity::bench
