#include <algorithm>

#include "letterpress/base/suggest.h"
#include "letterpress/commandline/flag_value.h"

namespace letterpress {

namespace {

// Of a name that is nearly one of those that may be given.
std::string suggestion(const FlagInfo& flag, const std::string& name) {
  if (flag.choices.empty()) return "";
  const std::string nearest = nearest_first(name, flag.choices).front();
  return nearest != name && is_near(name, nearest) ? "did you mean '" + nearest + "'?" : "";
}

}  // namespace

void refuse_value(const FlagInfo& flag, const FlagValue& got, const std::string& limits) {
  const bool quoted = std::holds_alternative<std::string>(got) && flag.kind != FlagKind::path;
  const std::string text = to_text(flag, got), shown = quoted ? "'" + text + "'" : text;
  throw Error(
      {.what = title_of(flag) + " is " + (shown.empty() ? "empty" : shown) + ", must be " + limits,
       .fix = suggestion(flag, text)},
      Exit::usage);
}

void require_known(const FlagInfo& flag, const FlagValue& got, const std::string& kind) {
  const std::string name = to_text(flag, got);
  if (std::ranges::find(flag.choices, name) == flag.choices.end())
    throw Error({.where = title_of(flag), .what = unknown_name(kind, name, flag.choices)},
                Exit::usage);
}

void refuse_alone(const FlagInfo& flag, const FlagValue& got, const std::string& other) {
  const std::string value = flag.kind == FlagKind::on_off ? "" : " " + to_text(flag, got);
  throw Error({.where = title_of(flag) + value,
               .what = "is for " + other.substr(0, other.find(' ')) + ", which is not given",
               .fix = "add " + other + ", or leave it out"},
              Exit::usage);
}

}  // namespace letterpress
