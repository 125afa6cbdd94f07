// How far an operation is, on a terminal.
#ifndef PARITY_CLI_PROGRESS_BAR_H_
#define PARITY_CLI_PROGRESS_BAR_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace parity::cli {

// "[#####.....]  50%  1.0 of 2.0 GB  0.51 GB/s  ETA 0:02", where `elapsed` is how long it took to
// come this far. Without a rate and an ETA at the start. REQUIRES: done <= total.
std::string DrawProgress(uint64_t done, uint64_t total, absl::Duration elapsed);

// Not thread-safe.
class ProgressBar {
 public:
  ProgressBar();
  // The bar is gone.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Draws it, ten times a second at most.
  void Show(uint64_t done, uint64_t total);

 private:
  const absl::Time start_;
  absl::Time drawn_ = absl::InfinitePast();
};

}  // namespace parity::cli

#endif  // PARITY_CLI_PROGRESS_BAR_H_
