#include "trainer/fit/options/class_weights.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "letterpress/base/error.h"
#include "trainer/fit/options/positive_number.h"

namespace letterpress {
namespace {

double weight_from(const std::string& field, const std::string& text) {
  if (const auto weight = positive_number(field)) return *weight;
  throw Error("--class-weights is '" + text +
                  "', must be none, auto, or one number over 0 for each class: w,w,...",
              Exit::usage);
}

}  // namespace

std::vector<double> class_weights_from(const std::string& text) {
  std::vector<double> weights;
  if (text == "none" || text == "auto") return weights;
  std::istringstream fields(text + ",");
  for (std::string field; std::getline(fields, field, ',');)
    weights.push_back(weight_from(field, text));
  return weights;
}

std::string with_counted_weights(const std::string& text, const Snapshot& snapshot) {
  if (text != "auto") return text;
  const Statistics& statistics = snapshot.statistics;
  const auto& counted = statistics.pictures_per_class.empty() ? statistics.boxes_per_class
                                                              : statistics.pictures_per_class;
  double all = 0;
  for (const std::string& name : snapshot.classes)
    all += counted.contains(name) ? static_cast<double>(counted.at(name)) : 0;
  std::string numbers;
  for (const std::string& name : snapshot.classes) {
    const double own = counted.contains(name)
                           ? static_cast<double>(std::max<std::int64_t>(1, counted.at(name)))
                           : 1;
    char number[32];
    std::snprintf(number, sizeof number, "%.6g",
                  std::max(1.0, all) / (static_cast<double>(snapshot.classes.size()) * own));
    numbers += (numbers.empty() ? "" : ",") + std::string(number);
  }
  return numbers;
}

}  // namespace letterpress
