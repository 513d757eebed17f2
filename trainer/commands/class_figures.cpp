#include "trainer/commands/class_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace letterpress {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

double share(const ClassFigures& figures, std::size_t c) {
  return figures.pictures[c] > 0
             ? static_cast<double>(figures.right[c]) / static_cast<double>(figures.pictures[c])
             : 0;
}

}  // namespace

void print(const ClassFigures& figures, const std::vector<std::string>& classes,
           std::ostream& out) {
  out << fmt::format("top-1 {:.4f} ({} of {} pictures)\n", figures.top1, sum_of(figures.right),
                     sum_of(figures.pictures));
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return share(figures, a) < share(figures, b);
  });
  for (const std::size_t c : order) {
    const std::string amount =
        figures.pictures[c] > 0 ? fmt::format("{:.4f}", share(figures, c)) : "  none";
    out << fmt::format("  {}  {} of {}  {}\n", amount, figures.right[c], figures.pictures[c],
                       classes[c]);
  }
}

nlohmann::json json_of(const ClassFigures& figures, const std::vector<std::string>& classes) {
  nlohmann::json by_class = nlohmann::json::object();
  for (std::size_t c = 0; c < classes.size(); ++c)
    by_class[classes[c]] = {{"pictures", figures.pictures[c]}, {"right", figures.right[c]}};
  return {{"top1", figures.top1},
          {"pictures", sum_of(figures.pictures)},
          {"right", sum_of(figures.right)},
          {"classes", by_class}};
}

}  // namespace letterpress
