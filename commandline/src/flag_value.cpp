#include "letterpress/commandline/flag_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "letterpress/base/parse_as.h"

namespace letterpress {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kAutomatic = -1;
constexpr const char* kBytes = "bytes, for instance 268435456, 256MiB or 10GB";
constexpr const char* kShare = "a share like 0.01 or a percentage like 1%, from 0 to 100%";

std::string kind_text(const FlagInfo& flag) {
  switch (flag.kind) {
    case FlagKind::on_off:
      return "true or false";
    case FlagKind::whole:
      return "a whole number";
    case FlagKind::natural:
      return fmt::format("a whole number from 0 to {}", UINT64_MAX);
    case FlagKind::number:
      return "a number";
    case FlagKind::bytes:
      return kBytes;
    case FlagKind::share:
      return kShare;
    case FlagKind::list:
      return "texts";
    case FlagKind::pairs:
      return flag.limits.empty() ? "A=B" : flag.limits;
    default:
      return "a text";
  }
}

// All of the word is the number; nothing otherwise.
template <class T>
std::optional<T> whole_word(std::string_view word) {
  return parse_as<T>(word.substr(word.starts_with('+') ? 1 : 0));
}

// A factor by the unit's name in lower case.
std::optional<double> unit_of(std::string_view word) {
  std::string unit;
  for (const char c : word) {
    if (c != ' ') unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (unit.ends_with('b')) unit.pop_back();
  const bool binary = unit.size() == 2 && unit[1] == 'i';
  if (unit.empty()) return 1;
  const std::size_t power = std::string_view("kmgt").find(unit[0]);
  if (power == std::string_view::npos || (unit.size() > 1 && !binary)) return std::nullopt;
  return std::pow(binary ? 1024 : 1000, static_cast<double>(power + 1));
}

std::optional<std::int64_t> bytes_of(const std::string& word) {
  double number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::optional<double> unit =
      unit_of(std::string_view(word).substr(static_cast<std::size_t>(end - word.data())));
  if (failure != std::errc() || !unit || !(number >= 0 && number * *unit < 9e18))
    return std::nullopt;
  return static_cast<std::int64_t>(number * *unit);
}

std::string bytes_word(std::int64_t bytes) {
  static constexpr std::pair<int, const char*> kUnits[] = {{30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [bits, unit] : kUnits) {
    if (bytes > 0 && bytes % (std::int64_t{1} << bits) == 0)
      return std::to_string(bytes >> bits) + unit;
  }
  return std::to_string(bytes);
}

bool fits(const FlagInfo& flag, std::int64_t value) {
  return value >= flag.least && value <= flag.most;
}

FlagValue parse_word(const FlagInfo& flag, const std::string& word) {
  const auto parsed = [&](const auto& value) -> FlagValue {
    if (value) return *value;
    refuse_value(flag, word, kind_text(flag));
  };
  if (flag.filled && word.empty())
    refuse_value(flag, word, flag.limits.empty() ? kind_text(flag) : flag.limits);
  // What auto is inside is not what people may write for it.
  if (flag.automatic && whole_word<double>(word) == kAutomatic)
    refuse_value(flag, word, flag.limits);
  switch (flag.kind) {
    case FlagKind::on_off:
      return word == "true";
    case FlagKind::whole: {
      if (flag.automatic && word == "auto") return kAutomatic;
      const auto value = whole_word<std::int64_t>(word);
      if (value && !fits(flag, *value))
        refuse_value(flag, *value, fmt::format("{} to {}", flag.least, flag.most));
      return parsed(value);
    }
    case FlagKind::natural:
      return parsed(whole_word<std::uint64_t>(word));
    case FlagKind::bytes:
      return parsed(bytes_of(word));
    case FlagKind::number:
    case FlagKind::share:
      if (flag.automatic && word == "auto") return static_cast<double>(kAutomatic);
      return parse_number(flag, word);
    default:
      return word;
  }
}

FlagPairs parse_pairs(const FlagInfo& flag, const std::vector<std::string>& words) {
  FlagPairs pairs;
  for (const std::string& word : words) {
    const std::size_t cut = word.find('=');
    if (cut == std::string::npos) refuse_value(flag, word, kind_text(flag));
    pairs.emplace_back(word.substr(0, cut), word.substr(cut + 1));
  }
  return pairs;
}

std::string joined(const FlagPairs& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

Json json_of(const FlagValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) return nullptr;
        if constexpr (std::is_same_v<T, FlagPairs>) {
          Json object = Json::object();
          for (const auto& [name, text] : held) object[name] = text;
          return object;
        } else if constexpr (!std::is_same_v<T, std::monostate>) {
          return held;
        }
      },
      value);
}

// A flag that took one text before it took several.
std::vector<std::string> list_of_one(std::string text) {
  if (text.empty()) return {};
  return {std::move(text)};
}

FlagValue value_of(const FlagInfo& flag, const Json& json) {
  switch (flag.kind) {
    case FlagKind::on_off:
      return json.get<bool>();
    case FlagKind::whole:
    case FlagKind::bytes:
      return json.get<std::int64_t>();
    case FlagKind::natural:
      return json.get<std::uint64_t>();
    case FlagKind::number:
    case FlagKind::share:
      return json.get<double>();
    case FlagKind::list:
      if (json.is_string()) return list_of_one(json.get<std::string>());
      return json.get<std::vector<std::string>>();
    case FlagKind::pairs: {
      FlagPairs pairs;
      for (const auto& [name, text] : json.items()) pairs.emplace_back(name, text);
      return pairs;
    }
    default:
      return json.get<std::string>();
  }
}

}  // namespace

std::string title_of(const FlagInfo& flag) {
  if (!flag.positional) return "--" + flag.name;
  std::string title = flag.name;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return title;
}

double number_of(const FlagValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* natural = std::get_if<std::uint64_t>(&value))
    return static_cast<double>(*natural);
  const auto* number = std::get_if<double>(&value);
  return number ? *number : std::nan("");
}

std::optional<double> share_of(const std::string& word) {
  const bool percent = word.ends_with('%');
  const auto number =
      whole_word<double>(std::string_view(word).substr(0, word.size() - (percent ? 1 : 0)));
  return number && percent ? *number / 100 : number;
}

double parse_number(const FlagInfo& flag, const std::string& word) {
  const bool is_share = flag.kind == FlagKind::share;
  const auto number = is_share ? share_of(word) : whole_word<double>(word);
  if (!number) refuse_value(flag, word, is_share ? kShare : "a number");
  return *number;
}

FlagValue parse_value(const FlagInfo& flag, const std::vector<std::string>& words) {
  if (flag.kind == FlagKind::list) return words;
  if (flag.kind == FlagKind::pairs) return parse_pairs(flag, words);
  return parse_word(flag, words.back());
}

std::string to_text(const FlagInfo& flag, const FlagValue& value) {
  return std::visit(
      [&](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "";
        } else if constexpr (std::is_same_v<T, FlagPairs>) {
          return joined(held);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return fmt::format("{}", fmt::join(held, ","));
        } else if constexpr (std::is_same_v<T, double>) {
          if (flag.automatic && held == static_cast<double>(kAutomatic)) return "auto";
          if (flag.kind != FlagKind::share) return fmt::format("{:g}", held);
          const std::string percent = fmt::format("{:g}%", 100 * held);
          return held > 1 ? fmt::format("{:g} ({})", held, percent) : percent;  // 20 for 20%
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          if (flag.automatic && held == kAutomatic) return "auto";
          return flag.kind == FlagKind::bytes ? bytes_word(held) : std::to_string(held);
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

std::string to_json(const FlagValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) {
    if (value == FlagValue{}) continue;
    object[name] = json_of(value);
    try {
      (void)object[name].dump();
    } catch (const nlohmann::json::exception&) {
      throw Error("--" + name + " is '" + to_text({.name = name}, value) +
                      "', must be UTF-8: it is stored as JSON",
                  Exit::usage);
    }
  }
  return object.dump();
}

FlagValues values_from_json(const std::string& json, const std::vector<FlagInfo>& flags,
                            const Message& source) {
  const Json object = Json::parse(json, nullptr, false);
  if (object.is_null()) return {};
  if (!object.is_object())
    throw Error(
        {source.where, "the flags of " + source.what + " are not a JSON object", source.fix});
  FlagValues values;
  for (const FlagInfo& flag : flags) {
    if (!object.contains(flag.name)) continue;
    const std::string found = object.at(flag.name).dump();
    const Error unreadable({source.where,
                            "--" + flag.name + " of " + source.what + " cannot be read: is " +
                                found + ", must be " + kind_text(flag),
                            source.fix});
    try {
      values.emplace_back(flag.name, value_of(flag, object.at(flag.name)));
    } catch (const nlohmann::json::exception&) {
      throw unreadable;
    }
    const auto* whole = std::get_if<std::int64_t>(&values.back().second);
    if (whole && !fits(flag, *whole)) throw unreadable;
  }
  return values;
}

}  // namespace letterpress
