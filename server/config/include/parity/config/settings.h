// Options from the command line, the environment and a file.
//
// Key decision: the environment and the file are turned into arguments of the command line, for
// options that it does not have. So every option is parsed and checked in one way, wherever it
// comes from.
#ifndef PARITY_CONFIG_SETTINGS_H_
#define PARITY_CONFIG_SETTINGS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"

namespace parity::config {

// Where options come from, and what they are called there. An option --some-name that is
// configurable() for CLI11 is PREFIX_SOME_NAME in the environment and `some-name` in the file. One
// that may be given several times takes its values there separated by commas.
struct Sources {
  std::string prefix;                    // "PARITYD_": whatever else begins so is refused
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::string file_option;  // "config": names the file, on the command line or in the environment
};

// A command line, and what it was completed with.
struct Settings {
  // After the program's name: those given, then one "--name=value" for each further value.
  std::vector<std::string> arguments;
  // By the long name of each option that has a value: "the command line", the variable's name, or
  // the place in the file.
  std::map<std::string, std::string> origins;
};

// Makes the program's command line, whose values go nowhere: to try values on.
using MakeApp = std::function<std::unique_ptr<CLI::App>()>;

// Completes `arguments`, which must have been parsed without error. The command line goes before
// the environment, which goes before the file; an option's values all come from one of them. An
// empty variable counts as none. INVALID_ARGUMENT naming the variable or the place in the file for
// a name that is none, with the nearest one that is, and for a value that the option does not take.
// Variables that Kubernetes makes for services whose names begin like the prefix are ignored:
// PARITYD_SERVICE_HOST, PARITYD_POOL_PORT_7420_TCP_ADDR and their like.
absl::StatusOr<Settings> Complete(const std::vector<std::string>& arguments, const Sources& sources,
                                  const MakeApp& make_app);

// A file for --config that says what `app` was parsed with: for every configurable option its
// description as a comment, and the value with its origin, or the default as a comment.
std::string PrintedConfig(const CLI::App& app, const std::map<std::string, std::string>& origins);

}  // namespace parity::config

#endif  // PARITY_CONFIG_SETTINGS_H_
