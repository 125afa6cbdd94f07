#include "figures.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace parity::bench {

void Figures::Add(absl::string_view name, std::optional<double> value) {
  figures_.push_back(
      {std::string(name), value.has_value() ? absl::StrFormat("%.10g", *value) : "null", false});
}

void Figures::Add(absl::string_view name, const std::string& text) {
  figures_.push_back({std::string(name), text, true});
}

void Figures::PrintJson(std::FILE* to) const {
  const auto member = [](std::string* out, const Figure& figure) {
    const char* quote = figure.is_text ? "\"" : "";
    absl::StrAppend(out, "\"", figure.name, "\":", quote, figure.value, quote);
  };
  absl::FPrintF(to, "{%s}\n", absl::StrJoin(figures_, ",", member));
}

void Figures::PrintText(std::FILE* to) const {
  for (const Figure& figure : figures_) {
    absl::FPrintF(to, "%-40s %s\n", figure.name, figure.value == "null" ? "-" : figure.value);
  }
}

}  // namespace parity::bench
