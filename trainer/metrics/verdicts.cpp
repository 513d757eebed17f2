#include "trainer/metrics/verdicts.h"

#include <algorithm>
#include <limits>

#include "trainer/metrics/by_class.h"

namespace letterpress {
namespace {

bool outside(double area, int range) {
  const auto [least, most] = area_limits(range);
  return area < least || area > most;
}

/// One class of one picture, in every range and at every threshold.
class Judge {
 public:
  explicit Judge(const ClassOfPicture& one) : ground_truths_(one.ground_truths), found_(one.found) {
    overlaps_.reserve(found_.size() * ground_truths_.size());
    for (const Found* found : found_) {
      double& largest = largest_.emplace_back(0);
      for (const GroundTruth* ground_truth : ground_truths_)
        largest = std::max(largest, overlaps_.emplace_back(overlap(*found, *ground_truth)));
    }
  }

  void add_to(ClassVerdicts& into) {
    const std::size_t first = into.verdicts.size();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const double score = found_[i]->score;
      // A diverged model gives NaN scores: from here on they rank last and do not break later
      // sorts.
      into.verdicts.push_back(
          {score == score ? score : -std::numeric_limits<double>::infinity(), static_cast<int>(i)});
    }
    const std::span<Verdict> verdicts = std::span(into.verdicts).subspan(first);
    for (int range = 0; range < kAreaRanges; ++range)
      into.ground_truths[static_cast<std::size_t>(range)] += judge_range(range, verdicts);
  }

 private:
  /// Returns the number of ground truths to be found.
  std::int64_t judge_range(int range, std::span<Verdict> verdicts) {
    Matching matching(ground_truths_, [&](const GroundTruth& ground_truth) {
      return ground_truth.crowd || outside(ground_truth.area, range);
    });
    for (int threshold = 0; threshold < kIouThresholds && !ground_truths_.empty(); ++threshold) {
      matching.free_all();
      for (std::size_t i = 0; i < found_.size(); ++i)
        match(matching, threshold, i, verdicts[i].ranges[static_cast<std::size_t>(range)]);
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const CocoBox& box = found_[i]->box;
      Verdict::InRange& verdict = verdicts[i].ranges[static_cast<std::size_t>(range)];
      if (outside(box.width * box.height, range))
        verdict.ignored = static_cast<std::uint16_t>(verdict.ignored | ~verdict.matched);
    }
    std::int64_t wanted = 0;
    for (std::size_t i = 0; i < ground_truths_.size(); ++i)
      wanted += !matching.ignored(static_cast<int>(i));
    return wanted;
  }

  void match(Matching& matching, int threshold, std::size_t i, Verdict::InRange& verdict) const {
    const double least = iou_thresholds()[static_cast<std::size_t>(threshold)];
    if (largest_[i] < least) return;
    const int ground_truth = matching.take(
        std::span(overlaps_).subspan(i * ground_truths_.size(), ground_truths_.size()), least);
    if (ground_truth < 0) return;
    const auto bit = static_cast<std::uint16_t>(1U << threshold);
    verdict.matched = static_cast<std::uint16_t>(verdict.matched | bit);
    if (matching.ignored(ground_truth))
      verdict.ignored = static_cast<std::uint16_t>(verdict.ignored | bit);
  }

  std::span<const GroundTruth* const> ground_truths_;
  std::span<const Found* const> found_;
  std::vector<double> overlaps_, largest_;
};

}  // namespace

std::array<double, 2> area_limits(int range) {
  static constexpr std::array<std::array<double, 2>, kAreaRanges> limits{
      {{0, 1e5 * 1e5}, {0, 32 * 32}, {32 * 32, 96 * 96}, {96 * 96, 1e5 * 1e5}}};
  return limits[static_cast<std::size_t>(range)];
}

std::vector<ClassVerdicts> judge(const std::vector<PictureResult>& pictures, int classes) {
  std::vector<ClassVerdicts> judged(static_cast<std::size_t>(classes));
  for (std::size_t picture = 0; picture < pictures.size(); ++picture) {
    const ByClass by_class(pictures[picture], picture, classes);
    for (const ClassOfPicture& one : by_class.classes())
      Judge(one).add_to(judged[static_cast<std::size_t>(one.class_id)]);
  }
  for (ClassVerdicts& one : judged)
    std::stable_sort(one.verdicts.begin(), one.verdicts.end(),
                     [](const Verdict& a, const Verdict& b) { return a.score > b.score; });
  return judged;
}

}  // namespace letterpress
