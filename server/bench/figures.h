// Named figures, in order.
#ifndef PARITY_SERVER_BENCH_FIGURES_H_
#define PARITY_SERVER_BENCH_FIGURES_H_

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace parity::bench {

class Figures {
 public:
  // A value that is not set is null. Names and texts are plain: nothing in them is escaped.
  void Add(absl::string_view name, std::optional<double> value);
  void Add(absl::string_view name, const std::string& text);

  // One object on one line.
  void PrintJson(std::FILE* to) const;
  // A line for each, "-" for null.
  void PrintText(std::FILE* to) const;

 private:
  struct Figure {
    std::string name;
    std::string value;
    bool is_text;
  };
  std::vector<Figure> figures_;
};

}  // namespace parity::bench

#endif  // PARITY_SERVER_BENCH_FIGURES_H_
