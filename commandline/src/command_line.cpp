#include "command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>

#include "completion.h"
#include "configuration_file.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "manual.h"
#include "reference.h"

namespace letterpress {
namespace {

// CLI11 takes a list's value "[a,b]" for two values, a and b: before what is so written, this.
constexpr char kGuard = '\1';

std::vector<std::string> with_brackets_guarded(std::vector<std::string> words) {
  for (std::string& word : words) {
    const std::size_t first = word.starts_with("--") ? word.find('=') + 1 : 0;
    if (word.ends_with(']') && word[first] == '[') word.insert(first, 1, kGuard);
  }
  return words;
}

std::vector<std::string> without_guards(std::vector<std::string> values) {
  for (std::string& value : values)
    if (value.starts_with(kGuard)) value.erase(0, 1);
  return values;
}

std::string without_guard(std::string text) {
  std::erase(text, kGuard);
  return text;
}

// As the parser reads a switch's value; what it refuses asks, too.
bool is_switched_on(const std::string& value) {
  try {
    return CLI::detail::to_flag_value(value) > 0;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

bool asks_for_json(const std::vector<std::string>& words) {
  const std::string flag = "--json=";
  return std::ranges::any_of(words, [&](const std::string& word) {
    return word == "--json" || (word.starts_with(flag) && is_switched_on(word.substr(flag.size())));
  });
}

std::vector<std::string> flag_names_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

// What the parser could not place: an unknown flag is more likely a misspelling than its value a
// stray word.
void refuse_extras(const CLI::App& app, const std::vector<std::string>& extras) {
  if (extras.empty()) return;
  const auto flag = std::find_if(extras.begin(), extras.end(),
                                 [](const std::string& word) { return word.starts_with("-"); });
  if (flag == extras.end()) {
    throw Error({.what = "unexpected argument '" + without_guard(extras.front()) + "'",
                 .fix = "flags start with --, --help lists them"},
                Exit::usage);
  }
  throw Error(unknown_name("flag", flag->substr(0, flag->find('=')), flag_names_of(app)),
              Exit::usage);
}

Error refusal(const CLI::ParseError& error, const CLI::App& app) {
  const std::string said = without_guard(error.what());
  for (const CLI::Option* option : app.get_options()) {
    if (said.starts_with(option->get_name() + ": At Most 1 required"))
      return Error({.what = option->get_name() + " is given more than once", .fix = "give it once"},
                   Exit::usage);
  }
  return Error({.what = said, .fix = "--help lists the flags"}, Exit::usage);
}

}  // namespace

struct CommandLine::State {
  struct Entry {
    const Command* command;
    CLI::App* app;
    std::vector<CLI::Option*> options{};  ///< of command->flags
    std::deque<bool> switches{};
  };

  State(const std::string& name, const std::string& about, const std::vector<Command>& all)
      : program(name), summary(about), commands(all), app(about, name) {}

  std::string program, summary;
  std::vector<Command> commands;
  CLI::App app;
  std::deque<Entry> entries;

  void add(const Command& command);
  static CLI::Option* add_flag(Entry& entry, const FlagInfo& flag);
  Entry* select(const std::vector<std::string>& words);
  static FlagValues values_of(const Entry& entry);
  std::optional<std::string> own_text(const std::vector<std::string>& words) const;
};

CLI::Option* CommandLine::State::add_flag(Entry& entry, const FlagInfo& flag) {
  CLI::App& app = *entry.app;
  if (flag.kind == FlagKind::on_off)
    return app.add_flag("--" + flag.name, entry.switches.emplace_back(false), flag.help);
  CLI::Option* option = app.add_option(flag.positional ? flag.name : "--" + flag.name, flag.help);
  option->type_name(type_name(flag.kind))->required(flag.required)->default_str(flag.initial);
  if (flag.kind == FlagKind::list || flag.kind == FlagKind::pairs)
    option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  if (flag.commas) option->delimiter(',');
  return option;
}

void CommandLine::State::add(const Command& command) {
  CLI::App* sub = command.name.empty() ? &app : app.add_subcommand(command.name, command.summary);
  sub->set_help_flag("--help", "this text");
  sub->allow_extras();
  sub->add_option("--config", "TOML file; every other flag may stand in it, the command line wins")
      ->type_name("FILE");
  if (!command.footer.empty()) sub->footer(command.footer);
  Entry& entry = entries.emplace_back(Entry{&command, sub});
  for (const FlagInfo& flag : command.flags) entry.options.push_back(add_flag(entry, flag));
}

// Null: the program itself.
CommandLine::State::Entry* CommandLine::State::select(const std::vector<std::string>& words) {
  if (entries.size() == 1 && entries[0].command->name.empty()) return &entries[0];
  const std::string word = words.empty() ? "" : words.front();
  if (word == "--help" || word == "--version") return nullptr;
  std::vector<std::string> names;
  for (Entry& entry : entries) {
    if (entry.command->name == word) return &entry;
    names.push_back(entry.command->name);
  }
  if (word.empty())
    throw Error({.what = "no command given",
                 .fix = fmt::format("--help explains them: {}", fmt::join(names, ", "))},
                Exit::usage);
  throw Error(unknown_name("command", word, names), Exit::usage);
}

FlagValues CommandLine::State::values_of(const Entry& entry) {
  FlagValues values;
  for (std::size_t i = 0; i < entry.options.size(); ++i) {
    const FlagInfo& flag = entry.command->flags[i];
    CLI::Option* option = entry.options[i];
    if (option->count() == 0) continue;
    std::vector<std::string> words = without_guards(option->results());
    // "[10,14]" is a list, too.
    if (flag.commas && words.front().starts_with('[') && words.back().ends_with(']')) {
      words.front().erase(0, 1);
      words.back().pop_back();
    }
    values.emplace_back(flag.name, flag.kind == FlagKind::on_off ? FlagValue(option->as<bool>())
                                                                 : parse_value(flag, words));
  }
  return values;
}

// Of the commands that every program has.
std::optional<std::string> CommandLine::State::own_text(
    const std::vector<std::string>& words) const {
  const std::string word = words.empty() ? "" : words.front();
  const bool reference = word == "reference";
  if (!reference && word != "completion" && word != "manual") return std::nullopt;
  const std::size_t most = reference ? 1 : 2;
  if (words.size() > most) {
    throw Error({.where = word,
                 .what = "unexpected argument '" + words[most] + "'",
                 .fix = reference              ? "it takes none"
                        : word == "completion" ? "name one shell"
                                               : "name one command"},
                Exit::usage);
  }
  const std::string second = words.size() < 2 ? "" : words[1];
  if (reference) return reference_text(program, summary, commands);
  if (word == "completion") return completion_script(app, program, second);
  return manual_page(program, LETTERPRESS_VERSION, summary, commands, second);
}

CommandLine::CommandLine(const std::string& program, const std::string& summary,
                         const std::vector<Command>& commands)
    : state_(std::make_unique<State>(program, summary, commands)) {
  CLI::App& app = state_->app;
  app.footer("`" + program +
             " completion bash|zsh|fish` prints a script for that shell's completion, `" + program +
             " reference` all commands and flags as Markdown, `" + program +
             " manual [COMMAND]` a man page");
  app.set_version_flag("--version", program + " " LETTERPRESS_VERSION);
  app.set_help_flag("--help", "this text");
  for (const Command& command : state_->commands) state_->add(command);
}

CommandLine::~CommandLine() = default;

namespace {

// Of the shell: CLI11 reads "--notes= next" as "--notes next".
std::vector<std::string> with_empty_values_apart(const std::vector<std::string>& words,
                                                 const CLI::App& app) {
  std::vector<std::string> apart;
  for (const std::string& word : words) {
    apart.push_back(word);
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    apart.back().pop_back();
    const CLI::Option* option = app.get_option_no_throw(apart.back());
    if (option && option->get_items_expected_max() == 0)
      throw Error({.where = word,
                   .what = "is a switch with no value",
                   .fix = "write " + apart.back() + ", or " + word + "false"},
                  Exit::usage);
    apart.emplace_back();
  }
  return apart;
}

}  // namespace

Selection CommandLine::parse(std::vector<std::string> words, Selection& known) {
  State& state = *state_;
  known.json = asks_for_json(words);
  if (const auto text = state.own_text(words))
    return {state.program, [text] { return (std::cout << *text), 0; }};
  const State::Entry* entry = state.select(words);
  const CLI::App& app = entry ? *entry->app : state.app;
  const std::string name = entry ? entry->command->name : "";
  words = with_configuration_file(with_empty_values_apart(words, app), name.empty() ? 0 : 1, app);
  known.json = asks_for_json(words);
  words = with_brackets_guarded(std::move(words));
  std::reverse(words.begin(), words.end());
  try {
    state.app.parse(words);
  } catch (const CLI::Success& request) {  // --help, --version
    const int code = state.app.exit(request, std::cout, std::cerr);
    return {state.program, [code] { return code; }};
  } catch (const CLI::RequiredError& error) {
    refuse_extras(app, app.remaining());  // what is missing may be there, misspelt
    throw refusal(error, app);
  } catch (const CLI::ParseError& error) {
    throw refusal(error, app);
  }
  refuse_extras(app, app.remaining());
  const FlagValues values = State::values_of(*entry);
  Selection selected{name.empty() ? state.program : state.program + " " + name,
                     [values, entry] { return entry->command->run(values); }};
  for (const auto& [flag, value] : values) {
    if (flag == "json") selected.json = value == FlagValue(true);
    const auto* text = std::get_if<std::string>(&value);
    if (flag == "store" && text) selected.store = *text;
  }
  return selected;
}

}  // namespace letterpress
