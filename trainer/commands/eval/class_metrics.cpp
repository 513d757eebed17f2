#include "trainer/commands/eval/class_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace letterpress {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

double share(const ClassMetrics& metrics, std::size_t c) {
  return metrics.pictures[c] > 0
             ? static_cast<double>(metrics.right[c]) / static_cast<double>(metrics.pictures[c])
             : 0;
}

}  // namespace

void print(const ClassMetrics& metrics, const std::vector<std::string>& classes,
           std::ostream& out) {
  out << fmt::format("top-1 {:.4f} ({} of {} pictures)\n", metrics.top1, sum_of(metrics.right),
                     sum_of(metrics.pictures));
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return share(metrics, a) < share(metrics, b);
  });
  for (const std::size_t c : order) {
    const std::string amount =
        metrics.pictures[c] > 0 ? fmt::format("{:.4f}", share(metrics, c)) : "  none";
    out << fmt::format("  {}  {} of {}  {}\n", amount, metrics.right[c], metrics.pictures[c],
                       classes[c]);
  }
}

nlohmann::json json_of(const ClassMetrics& metrics, const std::vector<std::string>& classes) {
  nlohmann::json by_class = nlohmann::json::object();
  for (std::size_t c = 0; c < classes.size(); ++c)
    by_class[classes[c]] = {{"pictures", metrics.pictures[c]}, {"right", metrics.right[c]}};
  return {{"top1", metrics.top1},
          {"pictures", sum_of(metrics.pictures)},
          {"right", sum_of(metrics.right)},
          {"classes", by_class}};
}

}  // namespace letterpress
