#include "completion.h"

#include <cstdio>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "commands.h"
#include "option_values.h"

namespace parity::cli {
namespace {

// The long names of the options of a command.
std::vector<std::string> OptionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(absl::StrCat("--", name));
  }
  return names;
}

// How bash completes a value of this type; without a list, it completes names of files.
std::string ValuesOf(const std::string& type) {
  if (type.find('|') != std::string::npos) {
    return absl::StrCat("values='", absl::StrReplaceAll(type, {{"|", " "}}), "'");
  }
  if (type == "DIR") return "kind=directories";
  if (type == "FILE") return "kind=files";
  return "kind=none";
}

}  // namespace

std::string BashCompletion(const CLI::App& app) {
  std::vector<std::string> commands;
  std::string options;
  std::string values;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::string& name = command->get_name();
    commands.push_back(name);
    absl::StrAppend(&options, "    ", name, ") options='", absl::StrJoin(OptionsOf(*command), " "),
                    "' ;;\n");
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_expected_max() == 0) continue;  // a flag
      for (const std::string& each : option->get_lnames()) {
        absl::StrAppend(&values, "    '", name, " --", each, "') ",
                        ValuesOf(option->get_type_name()), " ;;\n");
      }
    }
  }
  return absl::StrCat("# Completion of ", app.get_name(),
                      " for bash: source it, or put it where bash-completion "
                      "looks.\n_",
                      app.get_name(), R"(() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options='' values='' kind=files
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ')",
                      absl::StrJoin(commands, " "), " ", absl::StrJoin(OptionsOf(app), " "),
                      R"(' -- "$word")
    return
  fi
  case ${COMP_WORDS[1]} in
)",
                      options, R"(  esac
  case "${COMP_WORDS[1]} $previous" in
)",
                      values, R"(  esac
  if [ -n "$values" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
  elif [ "$kind" = none ]; then
    return
  elif [ "$kind" = files ] && [ "${word:0:1}" = - ]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  else
    compopt -o filenames 2>/dev/null
    if [ "$kind" = directories ]; then
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
    else
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
  fi
}
complete -F _)",
                      app.get_name(), " ", app.get_name(), "\n");
}

void AddCompletion(CLI::App& app, Command& command) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = app.add_subcommand(
      "completion", "Prints a script with which a shell completes command lines");
  AddChoice(*completion, "SHELL", *shell, {"bash"}, "The shell")->required();
  completion->footer(
      absl::StrCat("Example:\n"
                   "  source <(parityctl completion bash)\n\n",
                   kExitCodesHelp));
  completion->callback([&app, shell, &command] {
    command = [&app] {
      std::fputs(BashCompletion(app).c_str(), stdout);
      return ExitCode::kGood;
    };
  });
}

}  // namespace parity::cli
