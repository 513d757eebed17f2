#include "letterpress/commandline/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>

#include "completion.h"
#include "configuration_file.h"
#include "letterpress/base/cpu.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "letterpress/commandline/terminal_text.h"

namespace letterpress {
namespace {

StopRequest from_signals;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr unsigned kGrace_s = 1;
std::atomic<bool> ends_soon{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  if (from_signals.make(signal) != 0) _exit(128 + signal);
  if (ends_soon) alarm(kGrace_s);
}

extern "C" void on_alarm(int) {
  constexpr std::string_view kText = "stopped in the middle of its work; what is finished stays\n";
  [[maybe_unused]] const ssize_t written = write(2, kText.data(), kText.size());
  _exit(128 + from_signals.signal());
}

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // Their calls fail instead, with an error that names the file.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

std::vector<std::string> flag_names_of(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::string kind_of(const std::string& type_name) {
  if (type_name == "INT") return "a whole number";
  if (type_name == "UINT") return "a whole number that is not negative";
  if (type_name == "FLOAT") return "a number";
  return type_name;
}

// CLI11 reads them by strtoull, which makes a large number of -1.
void refuse_negative(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "UINT") continue;
    for (const std::string& value : option->results()) {
      if (value.starts_with('-'))
        throw Error(fmt::format("{} {}: wanted {}", option->get_name(), value,
                                kind_of(option->get_type_name())),
                    Exit::usage);
    }
  }
}

// What the parser could not place: an unknown flag is more likely a misspelling than its value a
// stray word.
void refuse_extras(const CLI::App& app, const std::vector<std::string>& extras) {
  if (extras.empty()) return;
  const auto flag = std::find_if(extras.begin(), extras.end(),
                                 [](const std::string& word) { return word.starts_with("-"); });
  if (flag == extras.end()) {
    throw Error(
        "unexpected argument '" + extras.front() + "'; flags start with --, --help lists them",
        Exit::usage);
  }
  throw Error(unknown_name("flag", flag->substr(0, flag->find('=')), flag_names_of(app)),
              Exit::usage);
}

// CLI11 names the flag as "--size = abc" or "--size: 1 required ...", not what it wanted.
std::string refusal(const CLI::ParseError& error, const CLI::App& app) {
  const std::string said = error.what();
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (const auto at = said.find(name + " = "); at != std::string::npos) {
      return fmt::format("{} {}: wanted {}", name, said.substr(at + name.size() + 3),
                         kind_of(option->get_type_name()));
    }
    if (said.starts_with(name + ": At Most 1 required"))
      return name + " is given more than once; give it once";
  }
  return said + "; --help lists the flags";
}

struct Selection {
  CLI::App* app = nullptr;
  std::function<int()> run;
  std::string title;  ///< "letterpress-preprocess build"
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& summary,
              const std::vector<Command>& commands)
      : program_(program), app_(summary, program) {
    app_.footer("`" + program +
                " completion bash|zsh|fish` prints a script for that shell's completion");
    app_.set_version_flag("--version", program + " " LETTERPRESS_VERSION);
    app_.set_help_flag("--help", "this text");
    app_.option_defaults()->always_capture_default();
    for (const Command& command : commands) add(command);
  }

  // Parses; --help and --version throw CLI::Success.
  Selection parse(std::vector<std::string> words) {
    Selection selected = select(words);
    const std::size_t first = selected.app == &app_ ? 0 : 1;
    words = with_configuration_file(std::move(words), first, *selected.app);
    std::reverse(words.begin(), words.end());
    try {
      app_.parse(words);
    } catch (const CLI::Success&) {
      throw;
    } catch (const CLI::ParseError& error) {
      throw Error(refusal(error, *selected.app), Exit::usage);
    }
    refuse_extras(*selected.app, selected.app->remaining());
    refuse_negative(*selected.app);
    return selected;
  }

  // `completion SHELL`, which every program has.
  std::string completion(const std::vector<std::string>& words) const {
    if (words.size() > 2)
      throw Error("completion: unexpected argument '" + words[2] + "'; name one shell",
                  Exit::usage);
    return completion_script(app_, program_, words.size() < 2 ? "" : words[1]);
  }

  // Help and version texts go to stdout.
  int finish(const CLI::Success& request) { return app_.exit(request, std::cout, std::cerr); }

 private:
  void add(const Command& command) {
    CLI::App* app =
        command.name.empty() ? &app_ : app_.add_subcommand(command.name, command.summary);
    app->set_help_flag("--help", "this text");
    app->allow_extras();
    app->option_defaults()->always_capture_default();
    app->add_option("--config",
                    "TOML file; every other flag may stand in it, the command line wins")
        ->type_name("FILE");
    entries_.push_back({command.name, app, command.define(*app)});
  }

  Selection select(const std::vector<std::string>& words) {
    if (entries_.size() == 1 && entries_[0].name.empty()) return {&app_, entries_[0].run, program_};
    const std::string word = words.empty() ? "" : words.front();
    if (word == "--help" || word == "--version") return {&app_, {}, program_};
    std::vector<std::string> names;
    for (Entry& entry : entries_) {
      if (entry.name == word) return {entry.app, entry.run, program_ + " " + word};
      names.push_back(entry.name);
    }
    if (word.empty())
      throw Error(fmt::format("no command given; --help explains them: {}", fmt::join(names, ", ")),
                  Exit::usage);
    throw Error(unknown_name("command", word, names), Exit::usage);
  }

  struct Entry {
    std::string name;
    CLI::App* app;
    std::function<int()> run;
  };
  std::string program_;
  CLI::App app_;
  std::vector<Entry> entries_;
};

}  // namespace

void end_soon_when_stopped() noexcept {
  signal(SIGALRM, on_alarm);
  ends_soon = true;
}

const StopRequest& stop_by_signal() noexcept { return from_signals; }
int stop_signal() noexcept { return from_signals.signal(); }
void set_stop_signal(int signal) noexcept { from_signals.make(signal); }

int run_program(const std::string& program, const std::string& summary,
                const std::vector<Command>& commands, int argc, char** argv) {
  install_signal_handlers();
  std::string title = program;
  const auto complain = [&](const std::string& message, Exit exit) {
    std::cerr << fmt::format("{}: {}\n", title, terminal_text(message)) << std::flush;
    return static_cast<int>(exit);
  };
  const auto ended = [&](int code) {
    std::cout.flush();
    return std::cout
               ? code
               : complain(
                     "standard output: cannot be written; is its disk full or its reader gone?",
                     Exit::io);
  };
  try {
    check_cpu_choice();
    CommandLine line(program, summary, commands);
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == "completion") {
      std::cout << line.completion(words);
      return ended(static_cast<int>(Exit::done));
    }
    try {
      const Selection selected = line.parse(words);
      title = selected.title;
      return ended(selected.run());
    } catch (const CLI::Success& request) {
      return ended(line.finish(request));
    }
  } catch (const Error& error) {
    return complain(error.what(), error.exit());
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string where = error.path1().empty() ? "a folder" : error.path1().string();
    return complain(system_error(where, "cannot be examined", error.code().value()).what(),
                    Exit::io);
  } catch (const std::bad_alloc&) {
    return complain("out of memory; fewer --threads or a smaller --batch take less", Exit::io);
  } catch (const std::exception& error) {
    return complain(std::string("a bug of ours, please report it: ") + error.what(), Exit::bug);
  }
}

std::string configuration_json(const CLI::App& app) {
  nlohmann::json configuration = nlohmann::json::object();
  const auto value = [](const std::string& text) {
    nlohmann::json literal = nlohmann::json::parse(text, nullptr, false);
    return literal.is_number() || literal.is_boolean() ? literal : nlohmann::json(text);
  };
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_single_name();
    if (name == "help" || name == "version" || name == "config") continue;
    if (option->get_items_expected_max() == 0) {
      configuration[name] = option->count() > 0;
    } else if (option->get_items_expected_max() > 1) {
      configuration[name] =
          option->count() ? nlohmann::json(option->results()) : nlohmann::json::array();
    } else {
      configuration[name] =
          value(option->count() ? option->results().back() : option->get_default_str());
    }
  }
  return configuration.dump();
}

}  // namespace letterpress
