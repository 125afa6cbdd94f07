#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace parity::cli {
namespace {

std::mutex mutex;  // of what is on the terminal
bool has_bar = false;

void Write(absl::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

size_t Columns() {
  struct winsize size = {};
  const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return is_known ? size.ws_col : 80;
}

// To the start of the line, and what is there goes.
constexpr char kErase[] = "\r\x1b[K";

}  // namespace

void PrintNotice(absl::string_view line) {
  const std::lock_guard<std::mutex> lock(mutex);
  Write(absl::StrCat(has_bar ? kErase : "", "parityctl: ", absl::StrReplaceAll(line, {{"\n", " "}}),
                     "\n"));
  has_bar = false;
}

bool HasTerminal() { return isatty(STDERR_FILENO) == 1; }

void DrawBar(absl::string_view bar) {
  const std::lock_guard<std::mutex> lock(mutex);
  Write(absl::StrCat(kErase, bar.substr(0, Columns() - 1)));
  has_bar = true;
}

void EraseBar() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (has_bar) Write(kErase);
  has_bar = false;
}

}  // namespace parity::cli
