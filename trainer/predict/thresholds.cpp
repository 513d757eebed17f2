#include "trainer/predict/thresholds.h"

#include <algorithm>
#include <optional>

#include "letterpress/base/error.h"
#include "letterpress/base/parse_as.h"
#include "letterpress/base/suggest.h"
#include "trainer/detection/detection.h"

namespace letterpress {
namespace {

// --conf's values are separated by commas.
std::string way_to_name(const std::vector<std::string>& classes) {
  const bool any = std::ranges::any_of(
      classes, [](const std::string& name) { return name.find(',') != std::string::npos; });
  return any ? "name a class with a comma by its number from 0" : "";
}

float threshold(const std::string& text, const std::string& given,
                const std::vector<std::string>& classes) {
  const auto value = parse_as<float>(text);
  if (value && kConfidenceLimits.hold(*value)) return *value;
  throw Error({.what = "--conf is '" + given + "', must be " + threshold_limits(),
               .fix = way_to_name(classes)},
              Exit::usage);
}

// "0,5" too: a comma separates scores.
[[noreturn]] void refuse_second(const std::string& given, const std::string& whose) {
  throw Error({.where = "--conf " + given,
               .what = "is a second score for " + whose,
               .fix = "give one, with a point: 0.5"},
              Exit::usage);
}

bool is_number(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// A number is that class, unless names are numbers.
std::optional<std::size_t> place_of(const std::string& name,
                                    const std::vector<std::string>& classes) {
  const auto found = std::find(classes.begin(), classes.end(), name);
  if (found != classes.end()) return static_cast<std::size_t>(found - classes.begin());
  if (std::ranges::any_of(classes, is_number)) return std::nullopt;
  const auto number = parse_as<std::size_t>(name);
  return number && *number < classes.size() ? number : std::nullopt;
}

// One asked for by its number is answered with numbers.
std::string unknown_class(const std::string& name, const std::vector<std::string>& classes) {
  if (!is_number(name) || std::ranges::any_of(classes, is_number))
    return unknown_name("class", name, classes);
  std::string known;
  for (std::size_t number = 0; number < classes.size(); ++number)
    known += (number == 0 ? "" : ", ") + std::to_string(number) + " (" + classes[number] + ")";
  return "there is no class " + name + "; known: " + known;
}

}  // namespace

std::string threshold_limits() {
  return std::string("a score of ") + kConfidenceLimits.text + ", or CLASS=SCORE";
}

std::vector<float> class_thresholds(const std::vector<std::string>& given,
                                    const std::vector<std::string>& classes, double otherwise) {
  std::optional<float> for_all;
  std::vector<std::optional<float>> own(classes.size());
  for (const std::string& one : given) {
    const std::size_t equals = one.rfind('=');
    if (equals == std::string::npos) {
      const float score = threshold(one, one, classes);
      if (for_all) refuse_second(one, "all classes");
      for_all = score;
      continue;
    }
    const std::string name = one.substr(0, equals);
    const auto place = place_of(name, classes);
    if (!place)
      throw Error({.where = "--conf " + one, .what = unknown_class(name, classes)}, Exit::usage);
    if (own[*place]) refuse_second(one, "class '" + classes[*place] + "'");
    own[*place] = threshold(one.substr(equals + 1), one, classes);
  }
  std::vector<float> thresholds;
  for (const auto& score : own)
    thresholds.push_back(score.value_or(for_all.value_or(static_cast<float>(otherwise))));
  return thresholds;
}

}  // namespace letterpress
