#include "trainer/loader/class_balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "letterpress/base/box.h"
#include "letterpress/base/error.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostNamed = 8;

std::set<std::size_t> classes_of(const ShardReader& shard, std::int64_t row) {
  std::set<std::size_t> classes;
  if (shard.label(row) >= 0) classes.insert(static_cast<std::size_t>(shard.label(row)));
  for (const LabelBox& box : shard.label_boxes(row))
    if ((box.flags & kCrowd) == 0) classes.insert(static_cast<std::size_t>(box.class_id));
  return classes;
}

double middle_share(const ClassBalance& balance) {
  std::vector<std::int64_t> there;
  for (const std::int64_t n : balance.pictures)
    if (n > 0) there.push_back(n);
  if (there.empty()) return 1;
  std::sort(there.begin(), there.end());
  return static_cast<double>(there[there.size() / 2]) / static_cast<double>(balance.all);
}

}  // namespace

double ClassBalance::factor(std::size_t class_id) const {
  return pictures[class_id] == 0 ? 1 : std::max(1.0, std::sqrt(rare_below / share(class_id)));
}

ClassBalance balance_classes(const SnapshotReader& reader, const std::vector<PictureRows>& pictures,
                             double rare_below) {
  ClassBalance balance{.rare_below = rare_below,
                       .pictures = std::vector<std::int64_t>(reader.snapshot().classes.size()),
                       .all = static_cast<std::int64_t>(pictures.size())};
  std::vector<std::set<std::size_t>> shown;
  for (const PictureRows& picture : pictures) {
    shown.push_back(classes_of(reader.shard(picture.clean.shard), picture.clean.row));
    for (const std::size_t class_id : shown.back()) ++balance.pictures.at(class_id);
  }
  if (rare_below == 0) balance.rare_below = middle_share(balance);
  for (const std::set<std::size_t>& classes : shown) {
    double largest = 1;
    for (const std::size_t class_id : classes)
      largest = std::max(largest, balance.factor(class_id));
    balance.factors.push_back(static_cast<float>(largest));
  }
  return balance;
}

std::string to_string(const ClassBalance& balance, const std::vector<std::string>& classes) {
  std::vector<std::size_t> rare;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (balance.factor(i) > 1) rare.push_back(i);
  std::stable_sort(rare.begin(), rare.end(), [&](std::size_t a, std::size_t b) {
    return balance.pictures[a] < balance.pictures[b];
  });
  std::string text = fmt::format("classes in fewer than {:.1f} % of the pictures count as rare: ",
                                 100 * balance.rare_below);
  if (rare.empty()) return text + "none is";
  for (std::size_t i = 0; i < std::min(rare.size(), kMostNamed); ++i)
    text += fmt::format("{}{} ({:.1f} %) {:.2f} times", i == 0 ? "" : ", ", classes[rare[i]],
                        100 * balance.share(rare[i]), balance.factor(rare[i]));
  if (rare.size() > kMostNamed) text += fmt::format(" and {} more", rare.size() - kMostNamed);
  return text;
}

bool is_balanced(const std::string& sample) {
  if (sample == "all" || sample == "balanced") return sample == "balanced";
  throw Error("--sample is '" + sample + "', must be all or balanced", Exit::usage);
}

}  // namespace letterpress
