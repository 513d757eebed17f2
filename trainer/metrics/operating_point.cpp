#include "trainer/metrics/operating_point.h"

#include <algorithm>

namespace letterpress {
namespace {

struct Ranked {
  const Verdict* verdict;
  std::size_t class_id;
};

/// Detections of all classes, best score first. A score of NaN is not a detection.
std::vector<Ranked> ranked_together(const std::vector<const ClassVerdicts*>& judged) {
  std::vector<Ranked> ranked;
  for (std::size_t c = 0; c < judged.size(); ++c)
    for (const Verdict& verdict : judged[c]->verdicts) ranked.push_back({&verdict, c});
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.verdict->score > b.verdict->score;
  });
  return ranked;
}

/// Equal scores stay together: a cut is possible only after the last of them.
bool last_of_score(const std::vector<Ranked>& ranked, std::size_t i) {
  return i + 1 == ranked.size() || ranked[i + 1].verdict->score != ranked[i].verdict->score;
}

/// Means are over the classes with a ground truth.
std::vector<const ClassVerdicts*> with_ground_truths(const std::vector<ClassVerdicts>& judged) {
  std::vector<const ClassVerdicts*> pointers;
  for (const ClassVerdicts& one : judged)
    if (one.ground_truths[kAllAreas] > 0) pointers.push_back(&one);
  return pointers;
}

}  // namespace

OperatingPoint at_confidence(const std::vector<ClassVerdicts>& judged, double confidence) {
  OperatingPoint point{.confidence = confidence};
  int counted = 0;
  for (const ClassVerdicts& one : judged) {
    Tally& tally = point.classes.emplace_back(Tally{.ground_truths = one.ground_truths[kAllAreas]});
    for (const Verdict& verdict : one.verdicts) {
      if (!(verdict.score >= confidence)) break;
      tally.add(verdict);
    }
    if (tally.ground_truths == 0) continue;
    ++counted;
    point.precision += tally.precision();
    point.recall += tally.recall();
    point.f1 += tally.f1();
  }
  for (double* mean : {&point.precision, &point.recall, &point.f1})
    *mean = counted ? *mean / counted : 0;
  return point;
}

std::optional<double> best_confidence(const std::vector<ClassVerdicts>& judged) {
  const std::vector<const ClassVerdicts*> counted = with_ground_truths(judged);
  std::vector<Tally> tallies;
  for (const ClassVerdicts* one : counted)
    tallies.push_back({.ground_truths = one->ground_truths[kAllAreas]});
  const std::vector<Ranked> ranked = ranked_together(counted);
  std::optional<double> best;
  double sum = 0, best_sum = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    Tally& tally = tallies[ranked[i].class_id];
    sum -= tally.f1();
    tally.add(*ranked[i].verdict);
    sum += tally.f1();
    // Sums that differ only by rounding are equal: the higher confidence wins.
    if (!last_of_score(ranked, i) || sum <= best_sum + 1e-9) continue;
    best_sum = sum;
    best = ranked[i].verdict->score;
  }
  return best;
}

double best_of(const Goal& goal, const std::vector<ClassVerdicts>& judged) {
  std::vector<const ClassVerdicts*> together;
  for (const ClassVerdicts& one : judged) together.push_back(&one);
  if (goal.of == Goal::Of::recall) {
    const auto found = recall_at_precision(together, goal.wanted);
    return found ? found->recall : 0;
  }
  Tally tally;
  for (const ClassVerdicts* one : together) tally.ground_truths += one->ground_truths[kAllAreas];
  const std::vector<Ranked> ranked = ranked_together(together);
  double best = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    tally.add(*ranked[i].verdict);
    if (last_of_score(ranked, i) && tally.right > 0 && tally.recall() >= goal.wanted)
      best = std::max(best, tally.precision());
  }
  return best;
}

std::optional<RecallAtPrecision> recall_at_precision(
    const std::vector<const ClassVerdicts*>& judged, double wanted) {
  Tally tally;
  for (const ClassVerdicts* one : judged) tally.ground_truths += one->ground_truths[kAllAreas];
  const std::vector<Ranked> ranked = ranked_together(judged);
  std::optional<RecallAtPrecision> best;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    tally.add(*ranked[i].verdict);
    if (!last_of_score(ranked, i) || tally.right == 0 || tally.precision() < wanted) continue;
    if (!best || tally.recall() > best->recall)
      best = {tally.recall(), tally.precision(), ranked[i].verdict->score};
  }
  return best;
}

}  // namespace letterpress
