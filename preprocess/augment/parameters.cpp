#include <cstdio>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "preprocess/augment/augmentation.h"

namespace letterpress {
namespace {

std::string shown(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace

Parameters::Parameters(std::string where, std::map<std::string, double> given) : where_(std::move(where)), given_(std::move(given)) {}

double Parameters::get(const std::string& name, double otherwise, double low, double high) {
  const auto found = given_.find(name);
  const double value = found == given_.end() ? otherwise : found->second;
  if (!(value >= low && value <= high))
    throw Error(where_ + ": " + name + " is " + shown(value) + ", wanted " + shown(low) + ".." + shown(high), Exit::configuration);
  return effective_[name] = value;
}

void Parameters::check_all_known() const {
  std::vector<std::string> known;
  for (const auto& [name, value] : effective_) known.push_back(name);
  for (const auto& [name, value] : given_) {
    if (!effective_.contains(name)) throw Error(where_ + ": " + unknown_name("parameter", name, known), Exit::configuration);
  }
}

}  // namespace letterpress
