#include "manual.h"

#include <algorithm>
#include <cctype>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "reference.h"

namespace letterpress {
namespace {

// Text of a page: characters that roff or its typesetting would take for something else are spelt.
std::string roff(const std::string& text) {
  std::string spelt = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    switch (c) {
      case '\\':
        spelt += "\\e";
        break;
      case '-':
        spelt += "\\-";
        break;
      case '\'':
        spelt += "\\(aq";
        break;
      case '`':
        spelt += "\\(ga";
        break;
      case '^':
        spelt += "\\(ha";
        break;
      case '~':
        spelt += "\\(ti";
        break;
      default:
        spelt += c;
    }
  }
  return spelt;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) {
  return text.empty() ? "" : " \\fI" + roff(text) + "\\fR";
}

// The word that a page is called by: letterpress-preprocess-build.
std::string page_name(const std::string& program, const std::string& command) {
  return command.empty() ? program : program + "-" + command;
}

std::string see(const std::string& page) { return ".BR " + roff(page) + " (1)"; }

// ".BR a (1),", ".BR b (1)": a line each.
std::string see_also(const std::vector<std::string>& pages) {
  std::string text = ".SH SEE ALSO\n";
  for (const std::string& page : pages) text += see(page) + (page == pages.back() ? "\n" : ",\n");
  return text;
}

std::string head(const std::string& page, const std::string& release, const std::string& summary) {
  std::string title = page;
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return ".TH " + roff(title) + " 1 \"\" \"" + roff(release) + "\"\n.SH NAME\n" + roff(page) +
         " \\- " + roff(summary) + "\n";
}

std::string sentence(const std::string& name, const std::string& text) {
  return text.empty() ? "" : "\n.br\n" + name + ": " + roff(text) + ".";
}

std::string option(const FlagInfo& flag, bool with_life) {
  return ".TP\n" + bold(title_of(flag)) + italic(value_name(flag)) + "\n" + roff(flag.help) + "." +
         sentence("Must be", flag.limits) +
         sentence("Default", flag.required ? "none, it is required" : flag.initial) +
         sentence("In later runs", with_life ? later_name(flag.life) : "") + "\n";
}

std::string own_options(bool with_configuration, const std::string& before) {
  std::string text = ".TP\n\\fB\\-\\-help\\fR\nPrints all flags.\n";
  if (with_configuration)
    text +=
        ".TP\n\\fB\\-\\-config\\fR \\fIFILE\\fR\nA TOML file; every other flag may stand in it, as "
        "name = value. The command line wins.\n";
  return before + text;
}

std::string options(const Command& command) {
  const bool with_life = std::ranges::any_of(
      command.flags, [](const FlagInfo& flag) { return flag.life != FlagLife::once; });
  std::string text = own_options(true, ".SH OPTIONS\n");
  for (const FlagInfo& flag : command.flags) text += option(flag, with_life);
  return command.footer.empty() ? text : text + ".SH NOTES\n" + roff(command.footer) + "\n";
}

// Required flags with their values; the others are below.
std::string synopsis(const std::string& program, const Command& command) {
  std::string text = ".SH SYNOPSIS\n" + bold(program);
  if (!command.name.empty()) text += " " + bold(command.name);
  for (const FlagInfo& flag : command.flags) {
    if (!flag.required) continue;
    text += flag.positional ? italic(title_of(flag))
                            : " " + bold(title_of(flag)) + italic(value_name(flag));
  }
  return text + " [\\fIflags\\fR]\n";
}

std::string texts_of_its_own(const std::string& program) {
  return ".TP\n" + bold(program + " completion") +
         " bash|zsh|fish\nPrints a script that completes commands, flags and files in that "
         "shell.\n.TP\n" +
         bold(program + " reference") + "\nPrints all commands and flags as Markdown.\n.TP\n" +
         bold(program + " manual") +
         " [\\fIcommand\\fR]\nPrints this page, or that of a command.\n";
}

std::string page_of_commands(const std::string& program, const std::vector<Command>& commands) {
  std::string text = ".SH SYNOPSIS\n" + bold(program) +
                     " \\fIcommand\\fR [\\fIflags\\fR]\n.SH COMMANDS\nEach has a page of its "
                     "own.\n";
  std::vector<std::string> pages;
  for (const Command& command : commands) {
    pages.push_back(page_name(program, command.name));
    text += ".TP\n" + bold(command.name) + "\n" + roff(command.summary) + ".\n";
  }
  return text + texts_of_its_own(program) + own_options(false, ".SH OPTIONS\n") +
         ".TP\n\\fB\\-\\-version\\fR\nPrints the version.\n" + see_also(pages);
}

const Command& command_named(const std::vector<Command>& commands, const std::string& name) {
  const auto found = std::ranges::find(commands, name, &Command::name);
  if (found != commands.end()) return *found;
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  throw Error({.where = "manual", .what = unknown_name("command", name, names)}, Exit::usage);
}

}  // namespace

std::string manual_page(const std::string& program, const std::string& version,
                        const std::string& summary, const std::vector<Command>& commands,
                        const std::string& command_name) {
  const std::string release = program + " " + version;
  if (command_name.empty() && commands.front().name.empty())
    return head(program, release, summary) + synopsis(program, commands.front()) +
           options(commands.front()) + ".SH OTHER TEXTS\n" + texts_of_its_own(program);
  if (command_name.empty())
    return head(program, release, summary) + page_of_commands(program, commands);
  const Command& command = command_named(commands, command_name);
  return head(page_name(program, command_name), release, command.summary) +
         synopsis(program, command) + options(command) + see_also({program});
}

}  // namespace letterpress
