#include <fmt/format.h>

#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "preprocess/augment/augmentation.h"

namespace letterpress {
namespace {

std::string shown(double value) { return fmt::format("{:g}", value); }

}  // namespace

Parameters::Parameters(std::string where, std::map<std::string, double> given)
    : where_(std::move(where)), given_(std::move(given)) {}

double Parameters::get(const Parameter& parameter) {
  const std::string name(parameter.name);
  const auto found = given_.find(name);
  const double value = found == given_.end() ? parameter.otherwise : found->second;
  if (!(value >= parameter.low && value <= parameter.high)) {
    throw Error({.where = where_,
                 .what = name + " is " + shown(value) + ", must be " + shown(parameter.low) + ".." +
                         shown(parameter.high)},
                Exit::data);
  }
  declared_.push_back(parameter);
  return effective_[name] = value;
}

std::array<double, 2> Parameters::get_range(const Parameter& low, const Parameter& high) {
  const std::array range{get(low), get(high)};
  if (range[0] <= range[1]) return range;
  throw Error(
      {.where = where_,
       .what = std::string(low.name) + " " + shown(range[0]) + " is above " +
               std::string(high.name) + " " + shown(range[1]),
       .fix = given_.contains(std::string(low.name)) && given_.contains(std::string(high.name))
                  ? "exchange them"
                  : "give both, one of them is the default"},
      Exit::data);
}

void Parameters::check_all_known() const {
  std::vector<std::string> known;
  for (const auto& [name, value] : effective_) known.push_back(name);
  for (const auto& [name, value] : given_) {
    if (!effective_.contains(name))
      throw Error({.where = where_, .what = unknown_name("parameter", name, known)}, Exit::data);
  }
}

}  // namespace letterpress
