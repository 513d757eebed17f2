#include "trainer/metrics/average_precision.h"

#include <algorithm>
#include <stdexcept>

#include "trainer/metrics/matching.h"

namespace letterpress {
namespace {

/// All verdicts on one class, best score first.
struct ClassVerdicts {
  std::int64_t truths = 0;
  std::vector<Verdict> verdicts;
};

/// One class of one picture.
struct Group {
  std::vector<const LabelBox*> truths;
  std::vector<const Detection*> detections;
};

Group& group_of(std::vector<Group>& groups, std::int32_t class_id, std::size_t picture, const char* what) {
  if (class_id < 0 || static_cast<std::size_t>(class_id) >= groups.size())
    throw std::logic_error("picture " + std::to_string(picture) + ": a " + what + " of class " + std::to_string(class_id) + ", there are " +
                           std::to_string(groups.size()) + " classes");
  return groups[static_cast<std::size_t>(class_id)];
}

void judge_class(Group& group, ClassVerdicts& into) {
  std::vector<char> ignored;
  for (const LabelBox* truth : group.truths) {
    ignored.push_back((truth->flags & kCrowd) != 0);
    into.truths += !ignored.back();
  }
  match(group.detections, group.truths, ignored, into.verdicts);
}

std::vector<ClassVerdicts> judge(const std::vector<PictureResult>& pictures, int classes) {
  std::vector<ClassVerdicts> judged(static_cast<std::size_t>(classes));
  std::vector<Group> groups(judged.size());
  std::vector<std::size_t> touched;
  for (std::size_t picture = 0; picture < pictures.size(); ++picture) {
    touched.clear();
    for (const LabelBox& truth : pictures[picture].truths) {
      group_of(groups, truth.class_id, picture, "truth").truths.push_back(&truth);
      touched.push_back(static_cast<std::size_t>(truth.class_id));
    }
    for (const Detection& detection : pictures[picture].detections) {
      group_of(groups, detection.class_id, picture, "detection").detections.push_back(&detection);
      touched.push_back(static_cast<std::size_t>(detection.class_id));
    }
    for (const std::size_t c : touched) {
      judge_class(groups[c], judged[c]);
      // Empty from now on, so that a class that is listed twice is judged once.
      groups[c].truths.clear();
      groups[c].detections.clear();
    }
  }
  for (ClassVerdicts& one : judged)
    std::stable_sort(one.verdicts.begin(), one.verdicts.end(), [](const Verdict& a, const Verdict& b) { return a.score > b.score; });
  return judged;
}

/// Detections of a class counted from the best score down, at IoU .5.
struct Tally {
  std::int64_t right = 0, wrong = 0, truths = 0;
  double precision() const { return right ? static_cast<double>(right) / static_cast<double>(right + wrong) : 0; }
  double recall() const { return static_cast<double>(right) / static_cast<double>(truths); }
  double f1() const { return 2 * static_cast<double>(right) / static_cast<double>(right + wrong + truths); }
  void add(const Verdict& verdict) {
    if (!(verdict.ignored & 1)) ++((verdict.matched & 1) ? right : wrong);
  }
};

struct Ranked {
  Verdict verdict;
  std::size_t class_id;
};

/// Detections of all classes with a truth, best score first.
std::vector<Ranked> ranked_together(const std::vector<ClassVerdicts>& judged) {
  std::vector<Ranked> ranked;
  for (std::size_t c = 0; c < judged.size(); ++c)
    if (judged[c].truths > 0)
      for (const Verdict& verdict : judged[c].verdicts) ranked.push_back({verdict, c});
  std::sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.verdict.score > b.verdict.score; });
  return ranked;
}

/// The number of best detections (equal scores go together) with the largest sum of F1 over the classes.
std::size_t best_cut(const std::vector<Ranked>& ranked, std::vector<Tally> tallies) {
  std::size_t best = 0;
  double sum = 0, best_sum = 0;
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    Tally& tally = tallies[ranked[i].class_id];
    sum -= tally.f1();
    tally.add(ranked[i].verdict);
    sum += tally.f1();
    const bool last_of_score = i + 1 == ranked.size() || ranked[i + 1].verdict.score != ranked[i].verdict.score;
    // Sums that differ by rounding only are equal: the higher confidence stands.
    if (!last_of_score || sum <= best_sum + 1e-9) continue;
    best_sum = sum;
    best = i + 1;
  }
  return best;
}

void fill_best_point(const std::vector<ClassVerdicts>& judged, int counted, DetectionFigures& figures) {
  std::vector<Tally> tallies(judged.size());
  for (std::size_t c = 0; c < judged.size(); ++c) tallies[c].truths = judged[c].truths;
  const std::vector<Ranked> ranked = ranked_together(judged);
  const std::size_t cut = best_cut(ranked, tallies);
  if (cut == 0) return;
  figures.best_confidence = ranked[cut - 1].verdict.score;
  for (std::size_t i = 0; i < cut; ++i) tallies[ranked[i].class_id].add(ranked[i].verdict);
  for (std::size_t c = 0; c < judged.size(); ++c) {
    if (judged[c].truths == 0) continue;
    figures.classes[c].precision = tallies[c].precision();
    figures.classes[c].recall = tallies[c].recall();
    figures.precision += tallies[c].precision() / counted;
    figures.recall += tallies[c].recall() / counted;
  }
}

}  // namespace

DetectionFigures evaluate_detections(const std::vector<PictureResult>& pictures, int classes) {
  const std::vector<ClassVerdicts> judged = judge(pictures, classes);
  DetectionFigures figures;
  figures.classes.resize(judged.size());
  int counted = 0;
  for (std::size_t c = 0; c < judged.size(); ++c) {
    DetectionFigures::PerClass& one = figures.classes[c];
    one.truths = judged[c].truths;
    if (one.truths == 0) {
      one.ap = one.ap50 = -1;
      continue;
    }
    ++counted;
    for (int t = 0; t < kIouThresholds; ++t) {
      const double ap = average_precision(judged[c].verdicts, one.truths, t);
      one.ap += ap / kIouThresholds;
      if (t == 0) one.ap50 = ap;
      if (t == 5) figures.map75 += ap;
    }
    figures.map += one.ap;
    figures.map50 += one.ap50;
  }
  for (double* mean : {&figures.map, &figures.map50, &figures.map75}) *mean = counted ? *mean / counted : -1;
  fill_best_point(judged, counted, figures);
  return figures;
}

}  // namespace letterpress
