#include "summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "absl/strings/str_format.h"

namespace parity::bench {
namespace {

// What noise may explain.
constexpr double kShort = 0.97;

constexpr size_t kFlatnessBytes = 65536;

double GeometricMean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

template <class Predicate>
ptrdiff_t CountIf(const std::vector<double>& values, Predicate predicate) {
  return std::count_if(values.begin(), values.end(), predicate);
}

void PrintRatios(std::FILE* to, const std::vector<Result>& results) {
  absl::FPrintF(to, "\n%-11s %5s %7s %7s %7s %7s\n", "ratio of", "rows", "geomean", "min", "< 1.0",
                "< 0.97");
  for (const Op op : kOps) {
    std::vector<double> ratios;
    for (const Result& result : results) {
      if (result.row.op == op && !result.yardstick.empty()) ratios.push_back(result.ratio());
    }
    if (ratios.empty()) continue;
    absl::FPrintF(to, "%-11s %5d %7.3f %7.3f %7d %7d\n", NameOf(op), ratios.size(),
                  GeometricMean(ratios), *std::min_element(ratios.begin(), ratios.end()),
                  CountIf(ratios, [](double ratio) { return ratio < 1; }),
                  CountIf(ratios, [](double ratio) { return ratio < kShort; }));
  }
}

void PrintShortRows(std::FILE* to, const std::vector<Result>& results) {
  std::vector<Result> rows;
  for (const Result& result : results) {
    if (!result.yardstick.empty() && result.ratio() < kShort) rows.push_back(result);
  }
  std::sort(rows.begin(), rows.end(),
            [](const Result& a, const Result& b) { return a.ratio() < b.ratio(); });
  if (!rows.empty()) absl::FPrintF(to, "\nrows below %.2f, the worst first\n", kShort);
  for (const Result& result : rows) {
    absl::FPrintF(to, "%6.3f  %-42s %8.2f against %8.2f of %s\n", result.ratio(),
                  NameOf(result.row), result.gbps, result.yardstick_gbps, result.yardstick);
  }
}

// What XOR costs for each byte of a source must hardly depend on how many sources there are.
void PrintFlatness(std::FILE* to, const std::vector<Result>& results) {
  const Result* cheapest = nullptr;
  const Result* dearest = nullptr;
  for (const Result& result : results) {
    const Row& row = result.row;
    if (row.op != Op::kXor || row.bytes != kFlatnessBytes || row.alignment != Alignment::kPage) {
      continue;
    }
    if (cheapest == nullptr || result.gbps > cheapest->gbps) cheapest = &result;
    if (dearest == nullptr || result.gbps < dearest->gbps) dearest = &result;
  }
  if (cheapest == nullptr) return;
  absl::FPrintF(to,
                "\ncost of a source byte, xor/len=%d/align=page: %.4f ns (k=%d) to %.4f ns (k=%d), "
                "max/min %.2f\n",
                kFlatnessBytes, 1 / cheapest->gbps, cheapest->row.k, 1 / dearest->gbps,
                dearest->row.k, cheapest->gbps / dearest->gbps);
}

// By length: the rate of every op at random alignment over that at page alignment.
void PrintAlignment(std::FILE* to, const std::vector<Result>& results) {
  std::map<std::string, double> page_gbps;
  for (const Result& result : results) {
    if (result.row.alignment == Alignment::kPage) page_gbps[NameOf(result.row)] = result.gbps;
  }
  std::map<size_t, std::map<Op, std::vector<double>>> quotients;
  for (const Result& result : results) {
    if (result.row.alignment != Alignment::kRandom) continue;
    Row page_row = result.row;
    page_row.alignment = Alignment::kPage;
    const auto page = page_gbps.find(NameOf(page_row));
    if (page == page_gbps.end()) continue;
    quotients[result.row.bytes][result.row.op].push_back(result.gbps / page->second);
  }
  if (quotients.empty()) return;
  absl::FPrintF(to, "\nrate at random alignment / at page alignment, geometric means\n%9s", "len");
  for (const Op op : kOps) absl::FPrintF(to, " %11s", NameOf(op));
  absl::FPrintF(to, "\n");
  for (const auto& [bytes, by_op] : quotients) {
    absl::FPrintF(to, "%9d", bytes);
    for (const Op op : kOps) {
      const auto values = by_op.find(op);
      const std::string cell =
          values == by_op.end() ? "-" : absl::StrFormat("%.3f", GeometricMean(values->second));
      absl::FPrintF(to, " %11s", cell);
    }
    absl::FPrintF(to, "\n");
  }
}

void PrintReadLimit(std::FILE* to, const std::vector<Result>& results) {
  bool first = true;
  for (const Result& result : results) {
    if (result.read_limit_gbps == 0) continue;
    if (first) absl::FPrintF(to, "\nGB/s of the longest page-aligned rows and of reading alone\n");
    first = false;
    absl::FPrintF(to, "%-42s %8.2f of %8.2f: %.3f\n", NameOf(result.row), result.gbps,
                  result.read_limit_gbps, result.gbps / result.read_limit_gbps);
  }
}

}  // namespace

void PrintSummary(std::FILE* to, const std::vector<Result>& results) {
  PrintRatios(to, results);
  PrintShortRows(to, results);
  PrintFlatness(to, results);
  PrintAlignment(to, results);
  PrintReadLimit(to, results);
}

}  // namespace parity::bench
