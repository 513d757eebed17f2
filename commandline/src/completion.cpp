#include "completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

struct CompletedFlag {
  std::string name, help;  ///< name without the dashes
  bool has_value;
};
struct Commands {
  std::string name, help;
  std::vector<CompletedFlag> flags;
  std::string arguments;  ///< words, one of which it takes
};

std::vector<CompletedFlag> flags_of(const CLI::App& app) {
  std::vector<CompletedFlag> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back({name, option->get_description(), option->get_items_expected_max() > 0});
    }
  }
  return flags;
}

template <class Named>
std::string words(const std::vector<Named>& all, const std::string& before) {
  std::string text;
  for (const Named& one : all) {
    if (!one.name.empty()) text += (text.empty() ? "" : " ") + before + one.name;
  }
  return text;
}

// The program's own flags first, under no name; last, beside commands, those that every program
// has.
std::vector<Commands> commands_of(const CLI::App& app) {
  std::vector<Commands> commands{{"", app.get_description(), flags_of(app), ""}};
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back({sub->get_name(), sub->get_description(), flags_of(*sub), ""});
  }
  if (commands.size() == 1) return commands;
  const std::string names = words(commands, "");
  commands.push_back({"completion", "prints a script like this one", {}, "bash zsh fish"});
  commands.push_back({"manual", "prints a man page", {}, names});
  commands.push_back({"reference", "prints all commands and flags as Markdown", {}, ""});
  return commands;
}

// Within single quotes of the shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

std::string identifier(const std::string& program) {
  std::string name = "_" + program;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string bash(const std::vector<Commands>& commands, const std::string& program) {
  const std::string names = words(commands, "");
  std::string text = "# " + program + ": completion for bash\n" + identifier(program) +
                     "() {\n  local flags switches arguments\n";
  text +=
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n  COMPREPLY=()\n "
      " case ${COMP_WORDS[1]} in\n";
  // The program's own come last: their pattern fits all words.
  std::vector<Commands> cases = commands;
  std::ranges::rotate(cases, cases.begin() + 1);
  for (const Commands& command : cases) {
    std::vector<CompletedFlag> switches;
    std::ranges::copy_if(command.flags, std::back_inserter(switches),
                         [](const CompletedFlag& flag) { return !flag.has_value; });
    text += "    " + (command.name.empty() ? "*" : command.name) +
            ") flags=" + quoted(words(command.flags, "--")) +
            " switches=" + quoted(words(switches, "--")) +
            " arguments=" + quoted(command.arguments) + " ;;\n";
  }
  text += "  esac\n";
  if (!names.empty()) {
    text += "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W " + quoted(names) +
            "\" $flags\" -- \"$word\"))\n    return\n  fi\n";
  }
  text +=
      "  if [ -n \"$arguments\" ]; then\n    COMPREPLY=($(compgen -W \"$arguments\" -- "
      "\"$word\"))\n    return\n  fi\n";
  text += "  if [[ $word == -* ]]; then\n    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n";
  text +=
      "  elif [[ $before == --* && \" $switches \" != *\" $before \"* ]] || [[ $before != --* ]]; "
      "then\n";
  text +=
      "    compopt -o filenames 2>/dev/null\n    local IFS=$'\\n'\n    COMPREPLY=($(compgen -f -- "
      "\"$word\"))\n  fi\n}\n";
  return text + "complete -F " + identifier(program) + " " + program + "\n";
}

// Within an _arguments specification, brackets and colons have a meaning.
std::string zsh_help(const std::string& help) {
  std::string text;
  for (const char c : help) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

std::string zsh_flags(const Commands& command) {
  std::string text;
  for (const CompletedFlag& flag : command.flags) {
    text += " \\\n        " +
            quoted("*--" + flag.name + (flag.has_value ? "=[" : "[") + zsh_help(flag.help) + "]" +
                   (flag.has_value ? ":value:_files" : ""));
  }
  return text;
}

std::string zsh(const std::vector<Commands>& commands, const std::string& program) {
  const std::string function = identifier(program);
  std::string text =
      "#compdef " + program + "\n# " + program + ": completion for zsh\n" + function + "() {\n";
  if (commands.size() > 1) {
    text += "  local -a commands=(";
    for (const Commands& command : commands) {
      if (!command.name.empty())
        text += "\n    " + quoted(command.name + ":" + zsh_help(command.help));
    }
    text +=
        ")\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
        // _arguments is to take the command for the program.
        "  shift words\n  (( CURRENT-- ))\n";
  }
  text += "  case ${words[1]} in\n";
  for (const Commands& command : commands) {
    if (command.name.empty()) continue;
    text += "    " + command.name + ")\n      " +
            (command.arguments.empty() ? "_arguments" + zsh_flags(command)
                                       : "_values argument " + command.arguments) +
            " ;;\n";
  }
  return text + "    *)\n      _arguments" + zsh_flags(commands.front()) +
         " ;;\n  esac\n}\ncompdef " + function + " " + program +
         // As a file of $fpath it is read when the first word is completed, inside the function.
         "\nif [ \"$funcstack[1]\" = " + function + " ]; then " + function + " \"$@\"; fi\n";
}

std::string fish(const std::vector<Commands>& commands, const std::string& program) {
  std::string text = "# " + program + ": completion for fish\n";
  const std::string names = words(commands, "");
  const auto line = [&](const std::string& condition, const std::string& what,
                        const std::string& help) {
    text += "complete -c " + program + " -n " + quoted(condition) + " " + what + " -d " +
            quoted(help) + "\n";
  };
  for (const Commands& command : commands) {
    const std::string condition = command.name.empty()
                                      ? "not __fish_seen_subcommand_from " + names
                                      : "__fish_seen_subcommand_from " + command.name;
    if (!command.name.empty())
      line("not __fish_seen_subcommand_from " + names, "-f -a " + command.name, command.help);
    for (const CompletedFlag& flag : command.flags)
      line(condition, "-l " + flag.name + (flag.has_value ? " -r -F" : " -f"), flag.help);
    if (!command.arguments.empty())
      line(condition, "-f -a " + quoted(command.arguments), command.help);
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& program,
                              const std::string& shell) {
  const std::vector<Commands> commands = commands_of(app);
  if (shell == "bash") return bash(commands, program);
  if (shell == "zsh") return zsh(commands, program);
  if (shell == "fish") return fish(commands, program);
  const std::array<std::string, 3> shells{"bash", "zsh", "fish"};
  if (shell.empty()) throw Error("completion: name a shell: bash, zsh or fish", Exit::usage);
  throw Error({.where = "completion", .what = unknown_name("shell", shell, shells)}, Exit::usage);
}

}  // namespace letterpress
