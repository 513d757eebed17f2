#include "weight_names.h"

#include <set>

namespace letterpress {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

// The number at the start of `text`, taken off it, without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view number = text.substr(0, end);
  text.remove_prefix(end);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

WeightRole role_of(std::string_view last, std::size_t dimensions) {
  if (last == "weight" && (dimensions == 4 || dimensions == 2)) return WeightRole::kernel;
  if (last == "weight" && dimensions == 1) return WeightRole::gamma;
  if (last == "bias" && dimensions == 1) return WeightRole::bias;
  if (last == "running_mean") return WeightRole::mean;
  return last == "running_var" ? WeightRole::variance : WeightRole::other;
}

}  // namespace

std::string_view without_wrapper(std::string_view name) {
  while (name.starts_with("module.")) name.remove_prefix(7);
  return name == "module" ? "" : name;
}

WeightArray named_as_pytorch(std::string_view name, std::vector<std::int64_t> shape) {
  name = without_wrapper(name);
  const std::size_t dot = name.rfind('.');
  const std::string_view layer = dot == std::string_view::npos ? "" : name.substr(0, dot);
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const WeightRole role = role_of(last, shape.size());
  return {.name = std::string(name),
          .layer = std::string(layer),
          .role = role,
          .shape = std::move(shape)};
}

void pair_norms(std::vector<WeightArray>& arrays) {
  std::set<std::string> norms;
  for (const WeightArray& array : arrays) {
    if (array.role == WeightRole::gamma || array.role == WeightRole::mean)
      norms.insert(array.layer);
  }
  for (WeightArray& array : arrays) {
    if (array.role == WeightRole::bias && norms.contains(array.layer))
      array.role = WeightRole::beta;
  }
}

bool natural_less(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (left != right)
        return left.size() != right.size() ? left.size() < right.size() : left < right;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

}  // namespace letterpress
