#include "progress_bar.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "terminal.h"

namespace parity::cli {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(100);
constexpr uint64_t kCells = 20;
// Before that a rate says nothing.
constexpr absl::Duration kLeastElapsed = absl::Milliseconds(200);

struct Unit {
  double bytes;
  const char* name;
};

Unit UnitFor(uint64_t bytes) {
  for (const Unit unit : {Unit{1e12, "TB"}, Unit{1e9, "GB"}, Unit{1e6, "MB"}, Unit{1e3, "kB"}}) {
    if (static_cast<double>(bytes) >= unit.bytes) return unit;
  }
  return {1, "B"};
}

// "1:02:03" or "2:03".
std::string Clock(double seconds) {
  const auto whole = static_cast<uint64_t>(std::ceil(std::min(seconds, 3.6e8)));
  const uint64_t minutes = whole / 60;
  return minutes < 60 ? absl::StrFormat("%d:%02d", minutes, whole % 60)
                      : absl::StrFormat("%d:%02d:%02d", minutes / 60, minutes % 60, whole % 60);
}

}  // namespace

std::string DrawProgress(uint64_t done, uint64_t total, absl::Duration elapsed) {
  const double part = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  const auto full = static_cast<size_t>(part * kCells);
  const Unit unit = UnitFor(total);
  std::string bar = absl::StrFormat("[%s%s] %3d%%  %.1f of %.1f %s", std::string(full, '#'),
                                    std::string(kCells - full, '.'), static_cast<int>(part * 100),
                                    static_cast<double>(done) / unit.bytes,
                                    static_cast<double>(total) / unit.bytes, unit.name);
  if (elapsed < kLeastElapsed || done == 0) return bar;
  const double rate = static_cast<double>(done) / absl::ToDoubleSeconds(elapsed);
  absl::StrAppendFormat(&bar, "  %.2f GB/s  ETA %s", rate / 1e9,
                        Clock(static_cast<double>(total - done) / rate));
  return bar;
}

ProgressBar::ProgressBar() : start_(absl::Now()) {}

ProgressBar::~ProgressBar() { EraseBar(); }

void ProgressBar::Show(uint64_t done, uint64_t total) {
  const absl::Time now = absl::Now();
  if (now - drawn_ < kInterval) return;
  drawn_ = now;
  DrawBar(DrawProgress(done, total, now - start_));
}

}  // namespace parity::cli
