#include "parity/config/settings.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "parity/config/config_file.h"
#include "parity/config/nearest.h"

namespace parity::config {
namespace {

absl::Status Bad(const std::string& place, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", why));
}

std::vector<std::string> ConfigurableNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_configurable()) names.push_back(option->get_lnames().front());
  }
  return names;
}

// The name of a variable, without its prefix, for an option.
std::string VariableOf(const std::string& option) {
  return absl::AsciiStrToUpper(absl::StrReplaceAll(option, {{"-", "_"}}));
}

// Of a service SERVICE that is called like the prefix, or longer: [..._]SERVICE_HOST and so on.
bool IsServiceLink(const std::string& name) {
  static const std::regex* const kLink = new std::regex(
      "([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|"
      "PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");
  return std::regex_match(name, *kLink);
}

absl::Status Unknown(const std::string& place, const std::string& nearest) {
  return Bad(place, nearest.empty()
                        ? "there is no such option"
                        : absl::StrCat("there is no such option; did you mean ", nearest, "?"));
}

// A value for an option, from wherever it comes.
struct Setting {
  std::string option;
  std::string place;  // for errors
  std::string origin;
  std::string value;
};

absl::StatusOr<std::vector<Setting>> FromEnvironment(const Sources& sources,
                                                     const std::vector<std::string>& options) {
  std::map<std::string, std::string> by_variable;
  std::vector<std::string> variables;
  for (const std::string& option : options) {
    variables.push_back(VariableOf(option));
    by_variable[variables.back()] = option;
  }
  by_variable[VariableOf(sources.file_option)] = "";  // read before
  std::vector<Setting> settings;
  for (const std::string& pair : sources.environment) {
    const std::pair<std::string, std::string> variable =
        absl::StrSplit(pair, absl::MaxSplits('=', 1));
    const std::string& full_name = variable.first;
    if (!absl::StartsWith(full_name, sources.prefix)) continue;
    const std::string name = full_name.substr(sources.prefix.size());
    const auto found = by_variable.find(name);
    if (found == by_variable.end()) {
      if (IsServiceLink(name)) continue;
      const std::string nearest = Nearest(name, variables);
      return Unknown(full_name, nearest.empty() ? "" : absl::StrCat(sources.prefix, nearest));
    }
    if (variable.second.empty() || found->second.empty()) continue;
    settings.push_back({found->second, full_name, full_name, variable.second});
  }
  return settings;
}

absl::StatusOr<std::vector<Setting>> FromFile(const std::string& path,
                                              const std::vector<std::string>& options) {
  absl::StatusOr<std::vector<Entry>> entries = ReadConfigFile(path);
  if (!entries.ok()) return entries.status();
  std::vector<Setting> settings;
  for (const Entry& entry : *entries) {
    const std::string place = absl::StrCat(entry.place, ": ", entry.key);
    if (std::find(options.begin(), options.end(), entry.key) == options.end()) {
      return Unknown(place, Nearest(entry.key, options));
    }
    settings.push_back({entry.key, place, entry.place, entry.value});
  }
  return settings;
}

const CLI::Option& OptionOf(const CLI::App& app, const std::string& name) {
  return *app.get_option(absl::StrCat("--", name));
}

// The values as arguments; not OK if the option takes one of them not.
absl::StatusOr<std::vector<std::string>> ArgumentsFor(const Setting& setting,
                                                      const MakeApp& make_app) {
  const std::unique_ptr<CLI::App> app = make_app();
  const CLI::Option& option = OptionOf(*app, setting.option);
  std::vector<std::string> arguments;
  if (option.get_expected_max() == 1) {
    arguments.push_back(absl::StrCat("--", setting.option, "=", setting.value));
  } else {
    for (const absl::string_view value : absl::StrSplit(setting.value, ',')) {
      arguments.push_back(
          absl::StrCat("--", setting.option, "=", absl::StripAsciiWhitespace(value)));
    }
  }
  try {
    // CLI11 takes them from the back.
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    const std::string got = error.what();
    const std::string prefix = absl::StrCat("--", setting.option, ": ");
    return Bad(setting.place, absl::StripPrefix(got, prefix));
  }
  return arguments;
}

// Of the file option, from the environment.
std::optional<std::string> FileFromEnvironment(const Sources& sources) {
  const std::string begin = absl::StrCat(sources.prefix, VariableOf(sources.file_option), "=");
  for (const std::string& pair : sources.environment) {
    if (absl::StartsWith(pair, begin) && pair.size() > begin.size()) {
      return pair.substr(begin.size());
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Settings> Complete(const std::vector<std::string>& arguments, const Sources& sources,
                                  const MakeApp& make_app) {
  const std::unique_ptr<CLI::App> given = make_app();
  try {
    given->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(error.what());
  }
  const std::vector<std::string> options = ConfigurableNames(*given);
  Settings settings{arguments, {}};
  for (const std::string& option : options) {
    if (OptionOf(*given, option).count() > 0) settings.origins[option] = "the command line";
  }

  absl::StatusOr<std::vector<Setting>> from_environment = FromEnvironment(sources, options);
  if (!from_environment.ok()) return from_environment.status();
  std::vector<Setting> all = *std::move(from_environment);
  const CLI::Option& file_option = OptionOf(*given, sources.file_option);
  const std::optional<std::string> path = file_option.count() > 0
                                              ? std::optional(file_option.as<std::string>())
                                              : FileFromEnvironment(sources);
  if (path.has_value()) {
    absl::StatusOr<std::vector<Setting>> from_file = FromFile(*path, options);
    if (!from_file.ok()) return from_file.status();
    all.insert(all.end(), from_file->begin(), from_file->end());
  }
  for (const Setting& setting : all) {
    // Checked also where it does not count: it might the next time.
    absl::StatusOr<std::vector<std::string>> more = ArgumentsFor(setting, make_app);
    if (!more.ok()) return more.status();
    if (!settings.origins.emplace(setting.option, setting.origin).second) continue;
    settings.arguments.insert(settings.arguments.end(), more->begin(), more->end());
  }
  return settings;
}

}  // namespace parity::config
