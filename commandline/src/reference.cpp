#include "reference.h"

#include <algorithm>

namespace letterpress {
namespace {

// Within a cell of a table.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return escaped;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string row(const FlagInfo& flag, bool with_life) {
  const std::string initial = flag.required ? "required" : code(flag.initial);
  return "| `" + title_of(flag) + "` | " + value_name(flag) + " | " + cell(initial) + " | " +
         cell(flag.limits) + " | " + (with_life ? later_name(flag.life) + std::string(" | ") : "") +
         cell(flag.help) + " |\n";
}

std::string section(const Command& command) {
  const bool with_life = std::ranges::any_of(
      command.flags, [](const FlagInfo& flag) { return flag.life != FlagLife::once; });
  std::string text =
      command.name.empty() ? "" : "\n## " + command.name + "\n\n" + command.summary + "\n";
  if (command.flags.empty()) return text;
  text += "\n| flag | value | default | must be |" +
          std::string(with_life ? " in later runs |" : "") +
          " what it does |\n|---|---|---|---|---|" + (with_life ? "---|\n" : "\n");
  for (const FlagInfo& flag : command.flags) text += row(flag, with_life);
  return command.footer.empty() ? text : text + "\n" + command.footer + "\n";
}

}  // namespace

const char* type_name(FlagKind kind) {
  switch (kind) {
    case FlagKind::on_off:
      return "";
    case FlagKind::whole:
      return "INT";
    case FlagKind::natural:
      return "UINT";
    case FlagKind::number:
      return "FLOAT";
    case FlagKind::bytes:
      return "BYTES";
    case FlagKind::share:
      return "SHARE";
    case FlagKind::path:
      return "PATH";
    case FlagKind::list:
      return "TEXT";
    case FlagKind::pairs:
      return "NAME=TEXT";
    default:
      return "TEXT";
  }
}

std::string value_name(const FlagInfo& flag) {
  const bool several = flag.kind == FlagKind::list || flag.kind == FlagKind::pairs;
  return type_name(flag.kind) + std::string(several ? " ..." : "");
}

const char* later_name(FlagLife life) {
  switch (life) {
    case FlagLife::once:
      return "not stored";
    case FlagLife::kept:
      return "taken over";
    case FlagLife::fixed:
      return "must stay";
    default:
      return "given anew";
  }
}

std::string reference_text(const std::string& program, const std::string& summary,
                           const std::vector<Command>& commands) {
  std::string text = "# " + program + "\n\n" + summary +
                     "\n\nEvery flag may stand in a TOML file too, as `name = value`, which "
                     "`--config FILE` names; the command line wins. `--help` prints the same as "
                     "this page.\n";
  for (const Command& command : commands) text += section(command);
  return text;
}

}  // namespace letterpress
