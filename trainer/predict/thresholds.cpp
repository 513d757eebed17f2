#include "trainer/predict/thresholds.h"

#include <algorithm>
#include <charconv>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"

namespace letterpress {
namespace {

float threshold(const std::string& text, const std::string& given) {
  float value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0 && value < 1)
    return value;
  throw Error("--conf is '" + given + "', must be a score of 0 or more and under 1, or CLASS=SCORE",
              Exit::usage);
}

}  // namespace

std::vector<float> class_thresholds(const std::vector<std::string>& given,
                                    const std::vector<std::string>& classes, double otherwise) {
  auto base = static_cast<float>(otherwise);
  for (const std::string& one : given) {
    if (one.find('=') == std::string::npos) base = threshold(one, one);
  }
  std::vector<float> thresholds(classes.size(), base);
  for (const std::string& one : given) {
    const std::size_t equals = one.rfind('=');
    if (equals == std::string::npos) continue;
    const std::string name = one.substr(0, equals);
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found == classes.end())
      throw Error({.where = "--conf " + one, .what = unknown_name("class", name, classes)},
                  Exit::usage);
    thresholds[static_cast<std::size_t>(found - classes.begin())] =
        threshold(one.substr(equals + 1), one);
  }
  return thresholds;
}

}  // namespace letterpress
