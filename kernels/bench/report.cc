#include "report.h"

#include <string>

#include "absl/strings/str_format.h"

namespace parity::bench {

void PrintTableHeader(std::FILE* to) {
  absl::FPrintF(to, "%-11s %4s %3s %9s  %-6s  %-10s %5s %9s %9s %6s  %s\n", "op", "k", "m", "len",
                "align", "isa", "split", "GB/s", "ISA-L", "ratio", "yardstick");
}

void PrintTableRow(std::FILE* to, const char* isa, const Result& result) {
  const Row& row = result.row;
  absl::FPrintF(to, "%-11s %4d %3d %9d  %-6s  %-10s %4.0f%% %9.2f", NameOf(row.op), row.k, row.m,
                row.bytes, NameOf(row.alignment), isa, 100 * result.split_share, result.gbps);
  if (result.yardstick.empty()) {
    absl::FPrintF(to, " %9s %6s  none\n", "-", "-");
  } else {
    absl::FPrintF(to, " %9.2f %6.3f  %s\n", result.yardstick_gbps, result.ratio(),
                  result.yardstick);
  }
}

void PrintJsonRow(std::FILE* to, const char* isa, const Result& result) {
  const Row& row = result.row;
  const std::string yardstick =
      result.yardstick.empty()
          ? R"("yardstick":null,"yardstick_gbps":null,"ratio":null)"
          : absl::StrFormat(R"("yardstick":"%s","yardstick_gbps":%.4f,"ratio":%.4f)",
                            result.yardstick, result.yardstick_gbps, result.ratio());
  const std::string limit =
      result.read_limit_gbps == 0
          ? ""
          : absl::StrFormat(R"(,"read_limit_gbps":%.4f)", result.read_limit_gbps);
  absl::FPrintF(
      to,
      R"({"op":"%s","k":%d,"m":%d,"len":%d,"align":"%s","isa":"%s","split_share":%.4f,"gbps":%.4f,%s%s})"
      "\n",
      NameOf(row.op), row.k, row.m, row.bytes, NameOf(row.alignment), isa, result.split_share,
      result.gbps, yardstick, limit);
}

}  // namespace parity::bench
