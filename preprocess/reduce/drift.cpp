#include "preprocess/reduce/drift.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "preprocess/plan/guards.h"

namespace letterpress {
namespace {

double sum_of(const std::vector<std::int64_t>& counts) {
  double sum = 0;
  for (const std::int64_t count : counts) sum += static_cast<double>(count);
  return sum;
}

double variation(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  const double all_a = sum_of(a), all_b = sum_of(b);
  if (a.size() != b.size() || all_a == 0 || all_b == 0) return 0;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::abs(static_cast<double>(a[i]) / all_a - static_cast<double>(b[i]) / all_b);
  return sum / 2;
}

using Counts = std::map<std::string, std::int64_t>;

double class_variation(const Counts& before, const Counts& now) {
  Counts names = before;
  names.insert(now.begin(), now.end());
  std::vector<std::int64_t> old_counts, new_counts;
  const auto count_in = [](const Counts& counts, const std::string& name) {
    const auto place = counts.find(name);
    return place == counts.end() ? 0 : place->second;
  };
  for (const auto& [name, ignored] : names) {
    old_counts.push_back(count_in(before, name));
    new_counts.push_back(count_in(now, name));
  }
  return variation(old_counts, new_counts);
}

}  // namespace

double Drift::largest() const noexcept { return std::max({classes, box_sizes, brightness}); }

Drift drift_between(const Statistics& before, const Statistics& now) {
  return {.classes = std::max(class_variation(before.boxes_per_class, now.boxes_per_class),
                              class_variation(before.pictures_per_class, now.pictures_per_class)),
          .box_sizes = variation(before.box_side_histogram, now.box_side_histogram),
          .brightness = std::abs(brightness(before) - brightness(now)) / 255};
}

void check_drift(const Drift& drift, double max_drift, std::int64_t generation) {
  if (drift.largest() <= max_drift) return;
  throw Error(
      {.where = "the pictures have moved from snapshot " + std::to_string(generation) + "'s",
       .what = "classes " + percent_text(drift.classes) + ", box sizes " +
               percent_text(drift.box_sizes) + ", brightness " + percent_text(drift.brightness) +
               "; --max-drift allows " + percent_text(max_drift) +
               "; nothing was published. Look at the new pictures "
               "and labels",
       .fix = "if they are right, raise --max-drift: what is made is kept"},
      Exit::data);
}

}  // namespace letterpress
