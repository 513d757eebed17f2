#include "trainer/metrics/voc.h"

#include <algorithm>

#include "trainer/metrics/by_class.h"
#include "trainer/metrics/matching.h"

namespace letterpress {
namespace {

struct Judged {
  double score;
  std::int64_t order;
  bool right;
};

bool precedes(const Judged& a, const Judged& b) {
  if (ranks_before(a.score, b.score)) return true;
  return !ranks_before(b.score, a.score) && a.order < b.order;
}

/// One class of the whole list.
struct ClassJudged {
  std::int64_t ground_truths = 0;
  std::vector<Judged> detections{};
};

bool counts(const GroundTruth& ground_truth) {
  return !ground_truth.difficult && !ground_truth.crowd;
}

/// VOC has no crowds: a detection's overlap with one is the ordinary IoU.
double plain_overlap(const Found& found, GroundTruth ground_truth) {
  ground_truth.crowd = false;
  return overlap(found, ground_truth);
}

void judge_class(const ClassOfPicture& one, double iou, ClassJudged& into) {
  into.ground_truths +=
      std::count_if(one.ground_truths.begin(), one.ground_truths.end(),
                    [](const GroundTruth* ground_truth) { return counts(*ground_truth); });
  std::vector<char> taken(one.ground_truths.size(), 0);
  for (const Found* found : one.found) {
    double largest = 0;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < one.ground_truths.size(); ++i) {
      const double value = plain_overlap(*found, *one.ground_truths[i]);
      if (value > largest) largest = value, nearest = i;
    }
    const bool meets = largest > 0 && largest >= iou;
    if (meets && !counts(*one.ground_truths[nearest])) continue;
    into.detections.push_back({found->score, found->order, meets && !taken[nearest]});
    if (meets) taken[nearest] = 1;
  }
}

struct Curve {
  std::vector<std::int64_t> right;  ///< after each detection
  std::vector<double> precision;    ///< the best from there on
};

Curve curve_of(const ClassJudged& one) {
  Curve curve;
  std::int64_t right = 0;
  for (std::size_t i = 0; i < one.detections.size(); ++i) {
    right += one.detections[i].right;
    curve.right.push_back(right);
    curve.precision.push_back(static_cast<double>(right) / static_cast<double>(i + 1));
  }
  for (std::size_t i = curve.precision.size(); i-- > 1;)
    curve.precision[i - 1] = std::max(curve.precision[i - 1], curve.precision[i]);
  return curve;
}

double eleven_points(const Curve& curve, std::int64_t ground_truths) {
  double sum = 0;
  for (int point = 0; point <= 10; ++point) {
    // In whole numbers: a recall of 3 of 10 reaches .3, however .3 is rounded.
    const auto reached =
        std::find_if(curve.right.begin(), curve.right.end(),
                     [&](std::int64_t right) { return 10 * right >= point * ground_truths; });
    if (reached != curve.right.end())
      sum += curve.precision[static_cast<std::size_t>(reached - curve.right.begin())];
  }
  return sum / 11;
}

double all_points(const Curve& curve, std::int64_t ground_truths) {
  double sum = 0;
  for (std::size_t i = 0; i < curve.right.size(); ++i)
    if (curve.right[i] > (i ? curve.right[i - 1] : 0)) sum += curve.precision[i];
  return sum / static_cast<double>(ground_truths);
}

}  // namespace

VocMetrics voc_metrics(const std::vector<PictureResult>& pictures, int classes, double iou) {
  std::vector<ClassJudged> judged(static_cast<std::size_t>(classes));
  for (std::size_t picture = 0; picture < pictures.size(); ++picture) {
    const ByClass by_class(pictures[picture], picture, classes);
    for (const ClassOfPicture& one : by_class.classes())
      judge_class(one, iou, judged[static_cast<std::size_t>(one.class_id)]);
  }
  VocMetrics metrics;
  double sum11 = 0, sum = 0;
  int counted = 0;
  for (ClassJudged& one : judged) {
    VocMetrics::PerClass& of_class =
        metrics.classes.emplace_back(VocMetrics::PerClass{.ground_truths = one.ground_truths});
    if (one.ground_truths == 0) continue;
    std::stable_sort(one.detections.begin(), one.detections.end(), precedes);
    const Curve curve = curve_of(one);
    sum11 += of_class.ap11 = eleven_points(curve, one.ground_truths);
    sum += of_class.ap = all_points(curve, one.ground_truths);
    ++counted;
  }
  if (counted) metrics.ap11 = sum11 / counted, metrics.ap = sum / counted;
  return metrics;
}

}  // namespace letterpress
