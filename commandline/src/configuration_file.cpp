#include "configuration_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <sstream>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

bool names_flag(const std::string& word, const std::string& flag) {
  return word == flag || word.starts_with(flag + "=");
}

std::optional<std::string> configuration_path(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--config=")) return words[i].substr(9);
    if (words[i] == "--config" && i + 1 < words.size()) return words[i + 1];
  }
  return std::nullopt;
}

toml::table parse(const std::string& path) {
  const std::string text = read_file(path);
  if (longest_toml_key(text) > kDeepest)
    throw Error({.where = path,
                 .what = "has a key of more than " + std::to_string(kDeepest) +
                         " parts with dots between them",
                 .fix = "write key = value"},
                Exit::usage);
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    std::ostringstream message;
    message << path << ":" << error.source().begin.line;
    throw Error({.where = message.str(),
                 .what = "is not TOML: " + std::string(error.description()),
                 .fix = "write key = value"},
                Exit::usage);
  }
}

std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto on = node.value_exact<bool>())
    throw Error(where + " is " + (*on ? "true" : "false") +
                    ", must be a text or a number: only switches are true or false",
                Exit::usage);
  std::ostringstream text;
  if (const auto* integer = node.as_integer()) {
    text << **integer;
  } else if (const auto* real = node.as_floating_point()) {
    text.precision(17);
    text << **real;
  } else {
    throw Error(where + " must be a text, a number or an array of these", Exit::usage);
  }
  return text.str();
}

void append_flag(std::vector<std::string>& flags, const CLI::Option& option,
                 const std::string& flag, const toml::node& node, const std::string& where) {
  if (option.get_items_expected_max() == 0) {
    const auto on = node.value_exact<bool>();
    if (!on) throw Error(where + " is a switch, must be true or false", Exit::usage);
    if (*on) flags.push_back(flag);
  } else if (const toml::array* array = node.as_array()) {
    if (option.get_items_expected_max() == 1 && option.get_delimiter() == '\0')
      throw Error(where + " is an array, must be one text or number", Exit::usage);
    for (const toml::node& element : *array) {
      flags.push_back(flag);
      flags.push_back(value_text(element, where));
    }
  } else {
    flags.push_back(flag);
    flags.push_back(value_text(node, where));
  }
}

}  // namespace

std::vector<std::string> with_configuration_file(std::vector<std::string> words, std::size_t first,
                                                 const CLI::App& app) {
  const auto path = configuration_path(words);
  if (!path) return words;
  if (path->empty()) throw Error("--config is empty, must be a TOML file", Exit::usage);
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (name != "config" && name != "help" && name != "version") known.push_back(name);
    }
  }
  std::vector<std::string> flags;
  for (const auto& [key, node] : parse(*path)) {
    const std::string name(key.str());
    const std::string where = *path + ":" + std::to_string(node.source().begin.line) + ": " + name;
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error({.where = *path + ":" + std::to_string(node.source().begin.line),
                   .what = unknown_name("key", name, known)},
                  Exit::usage);
    }
    const std::string flag = "--" + name;
    const bool given = std::any_of(words.begin(), words.end(),
                                   [&](const std::string& word) { return names_flag(word, flag); });
    if (!given) append_flag(flags, *app.get_option(flag), flag, node, where);
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(first), flags.begin(), flags.end());
  return words;
}

}  // namespace letterpress
