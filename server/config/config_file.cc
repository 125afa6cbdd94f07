#include "parity/config/config_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace parity::config {
namespace {

constexpr char kByteOrderMark[] = "\xEF\xBB\xBF";

absl::Status Bad(const std::string& place, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", why));
}

bool HasControlCharacter(absl::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_iscntrl(c) && c != '\t'; });
}

// What a line of an error shows of what it got.
std::string Shown(absl::string_view text) {
  constexpr size_t kMost = 60;
  return absl::StrCat(text.substr(0, kMost), text.size() > kMost ? "..." : "");
}

absl::StatusOr<Entry> ParseLine(const std::string& place, absl::string_view line) {
  if (HasControlCharacter(line)) return Bad(place, "got a control character, want text");
  const size_t equals = line.find('=');
  if (equals == absl::string_view::npos) {
    return Bad(place, absl::StrCat("got '", Shown(line), "', want 'key = value'"));
  }
  Entry entry{place, std::string(absl::StripAsciiWhitespace(line.substr(0, equals))),
              std::string(absl::StripAsciiWhitespace(line.substr(equals + 1)))};
  if (entry.key.empty()) return Bad(place, "got no key, want 'key = value'");
  if (entry.value.empty()) return Bad(place, absl::StrCat(Shown(entry.key), ": got no value"));
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<Entry>> ParseConfig(const std::string& path, const std::string& text) {
  std::vector<Entry> entries;
  std::map<std::string, std::string> places;
  size_t number = 0;
  const absl::string_view content = absl::StripPrefix(text, kByteOrderMark);
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    const std::string place = absl::StrCat(path, ":", ++number);
    line = absl::StripAsciiWhitespace(absl::StripSuffix(line, "\r"));
    if (line.empty() || line.front() == '#') continue;
    absl::StatusOr<Entry> entry = ParseLine(place, line);
    if (!entry.ok()) return entry.status();
    const auto [first, is_new] = places.emplace(entry->key, place);
    if (!is_new) {
      return Bad(place, absl::StrCat(Shown(entry->key), ": got it again, want it once; it is at ",
                                     first->second));
    }
    entries.push_back(*std::move(entry));
  }
  return entries;
}

absl::StatusOr<std::vector<Entry>> ReadConfigFile(const std::string& path) {
  const std::string name = absl::StrCat("config: ", path);
  // Without waiting, should it be a FIFO.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd == -1) {
    return Bad(name, absl::ErrnoToStatus(errno, "cannot be opened").message());
  }
  std::string text(kMaxFileBytes + 1, '\0');
  size_t bytes = 0;
  ssize_t got = 0;
  struct stat file;
  const bool regular = fstat(fd, &file) == 0 && S_ISREG(file.st_mode);
  while (regular && bytes < text.size()) {
    got = read(fd, text.data() + bytes, text.size() - bytes);
    if (got <= 0) break;
    bytes += static_cast<size_t>(got);
  }
  const int error = errno;
  close(fd);
  if (!regular) return Bad(name, "got no regular file, want one");
  if (got < 0) return Bad(name, absl::ErrnoToStatus(error, "cannot be read").message());
  if (bytes > kMaxFileBytes) {
    return Bad(name, absl::StrCat("got a longer file, want at most ", kMaxFileBytes, " bytes"));
  }
  text.resize(bytes);
  return ParseConfig(path, text);
}

}  // namespace parity::config
