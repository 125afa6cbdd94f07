#include "parity/engine/control_group.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace parity::engine {
namespace {

// "/a/b" as root/a/b, root/a and root.
void AddWithAncestors(const std::string& root, absl::string_view path,
                      std::vector<std::string>& directories) {
  while (path.size() > 1) {
    directories.push_back(absl::StrCat(root, path));
    path = path.substr(0, path.rfind('/'));
  }
  directories.push_back(root);
}

}  // namespace

std::vector<std::string> GroupDirectories(const std::string& controller, const std::string& root,
                                          const std::string& membership) {
  std::string v2_path = "/";
  std::string v1_path = "/";
  std::ifstream lines(membership);
  std::string line;
  while (std::getline(lines, line)) {  // "hierarchy:controllers:path"
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[0] == "0") v2_path = parts[2];
    for (const absl::string_view name : absl::StrSplit(parts[1], ',')) {
      if (name == controller) v1_path = parts[2];
    }
  }
  std::vector<std::string> directories;
  AddWithAncestors(root, v2_path, directories);
  AddWithAncestors(absl::StrCat(root, "/", controller), v1_path, directories);
  return directories;
}

}  // namespace parity::engine
