#include "trainer/metrics/promise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainer/metrics/verdicts.h"

namespace letterpress {
namespace {

constexpr double kScore95 = 1.959964;  ///< of the normal distribution, both sides 2.5 %

/// A detection that counts, of all classes and pictures.
struct JudgedFound {
  double score;
  std::size_t picture;
  bool right;
};

/// What the pictures hold, and what is missed and wrong in them at one confidence. Sums change with
/// each detection, so that a look at all confidences takes the time of a sort.
class Sample {
 public:
  explicit Sample(std::size_t pictures) : objects_(pictures), missed_(pictures), wrong_(pictures) {}

  void set_objects(std::size_t picture, std::int64_t n) {
    objects_[picture] = missed_[picture] = n;
    objects += n;
    fullest = std::max(fullest, n);
    missed += n;
    const auto count = static_cast<double>(n);
    objects_squared_ += count * count;
    products_ += count * count;
    missed_squared_ += count * count;
  }
  void add(const JudgedFound& one) {
    if (!one.right) {
      ++wrong;
      const auto before = static_cast<double>(wrong_[one.picture]++);
      wrong_squared_ += 2 * before + 1;
      return;
    }
    --missed;
    const auto before = static_cast<double>(missed_[one.picture]--);
    missed_squared_ -= 2 * before - 1;
    products_ -= static_cast<double>(objects_[one.picture]);
  }

  std::int64_t n_pictures() const { return static_cast<std::int64_t>(objects_.size()); }
  /// Kish's design effect of the pictures as clusters of the share missed, one standard error of a
  /// variance above its estimate; 1 at least.
  double objects_per_draw() const {
    const double n = static_cast<double>(objects), share = static_cast<double>(missed) / n;
    if (missed == 0 || missed == objects || n_pictures() < 2) return 1;
    const double squares =
        missed_squared_ - 2 * share * products_ + share * share * objects_squared_;
    const double pictures = static_cast<double>(n_pictures());
    const double effect = squares / (n * share * (1 - share));
    return effect <= 1 + 1e-9 ? 1 : effect * (1 + std::sqrt(2 / (pictures - 1)));
  }
  /// Wilson's score interval of a Poisson rate, widened where wrong detections come together.
  void set_false(KeptPromise& kept) const {
    const double n = static_cast<double>(n_pictures()), mean = static_cast<double>(wrong) / n;
    const double variance = n > 1 ? (wrong_squared_ - n * mean * mean) / (n - 1) : 0;
    const double together = wrong > 0 ? std::max(1.0, variance / mean) : 1;
    const double count = static_cast<double>(wrong) / together, half = kScore95 * kScore95 / 2;
    const double side = kScore95 * std::sqrt(count + half / 2);
    kept.false_per_picture = mean;
    kept.false_low = std::max(0.0, count + half - side) * together / n;
    kept.false_high = (count + half + side) * together / n;
  }

  std::int64_t objects = 0, fullest = 0, missed = 0, wrong = 0;

 private:
  std::vector<std::int64_t> objects_, missed_, wrong_;  ///< of each picture
  double objects_squared_ = 0, missed_squared_ = 0, wrong_squared_ = 0;
  double products_ = 0;  ///< objects times missed
};

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

/// Of `drawn` out of 2 n, half of which are of one kind: the probability of at most `most` of it.
/// From the largest term down by their ratios, as far as they count.
double at_most(double n, double drawn, std::int64_t most) {
  auto k = std::min({static_cast<double>(most), n, drawn});
  if (drawn - k > n) return 0;
  double term = std::exp(log_choose(n, k) + log_choose(n, drawn - k) - log_choose(2 * n, drawn));
  double sum = 0;
  for (; k >= 0 && term > 1e-18 * sum; --k) {
    sum += term;
    term *= k * (n - drawn + k) / ((n - k + 1) * (drawn - k + 1));
  }
  return sum;
}

/// Whether so many misses among so many independent objects keep the promise for another sample.
bool holds(double objects, std::int64_t missed, const Promise& promise) {
  const double n = std::floor(objects + 1e-9);
  const double bad = std::floor((1 - promise.recall) * n + 1e-9) + 1;  // misses that break it
  if (bad > n || static_cast<double>(missed) > n) return false;
  return at_most(n, bad + static_cast<double>(missed), missed) <= 1 - promise.probability;
}

/// Most misses that conformal risk control allows; negative: none.
double allowed_in_expectation(const Sample& sample, double recall) {
  return (1 - recall) * static_cast<double>(sample.objects) -
         recall * static_cast<double>(sample.fullest) + 1e-9;
}

/// together: how many objects count as one draw.
bool holds(const Sample& sample, double together, const Promise& promise) {
  if (sample.objects == 0) return false;
  if (static_cast<double>(sample.missed) > allowed_in_expectation(sample, promise.recall))
    return false;
  const auto draws =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(sample.missed) / together - 1e-9));
  return holds(static_cast<double>(sample.objects) / together, draws, promise);
}

/// What no model could keep with fewer.
std::int64_t objects_needed(std::int64_t fullest, const Promise& promise) {
  const double in_expectation =
      promise.recall * static_cast<double>(fullest) / (1 - promise.recall) - 1e-9;
  auto needed = static_cast<std::int64_t>(std::ceil(std::max(1.0, in_expectation)));
  // Nothing changes for the better until one more miss is within the promise.
  while (!holds(static_cast<double>(needed), 0, promise)) {
    const double allowed = std::floor((1 - promise.recall) * static_cast<double>(needed) + 1e-9);
    needed = static_cast<std::int64_t>(std::ceil((allowed + 1) / (1 - promise.recall) - 1e-6));
  }
  return needed;
}

std::vector<JudgedFound> judge_all(std::span<const PictureResult> pictures, int classes,
                                   Sample& sample) {
  std::vector<JudgedFound> judged;
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    std::int64_t objects = pictures[i].unseen;
    for (const ClassVerdicts& one : judge({pictures[i]}, classes)) {
      objects += one.ground_truths[kAllAreas];
      for (const Verdict& verdict : one.verdicts) {
        const bool right = verdict.right(kAllAreas, 0);
        if (right || verdict.wrong(kAllAreas, 0)) judged.push_back({verdict.score, i, right});
      }
    }
    sample.set_objects(i, objects);
  }
  std::stable_sort(judged.begin(), judged.end(),
                   [](const JudgedFound& a, const JudgedFound& b) { return a.score > b.score; });
  return judged;
}

KeptPromise kept_at(double confidence, const Sample& sample, double together,
                    const Promise& promise) {
  const double draws = static_cast<double>(sample.objects) / together;
  const double allowed = std::min(static_cast<double>(allowed_misses(draws, promise)) * together,
                                  allowed_in_expectation(sample, promise.recall));
  KeptPromise kept{.confidence = confidence,
                   .pictures = sample.n_pictures(),
                   .objects = sample.objects,
                   .missed = sample.missed,
                   .allowed = static_cast<std::int64_t>(allowed),
                   .objects_per_draw = together};
  sample.set_false(kept);
  return kept;
}

/// From the highest confidence down: what holds last has to hold at every lower one, too. Leaves
/// `sample` with every detection counted.
std::optional<KeptPromise> search(const std::vector<JudgedFound>& judged, const Promise& promise,
                                  Sample& sample) {
  std::optional<KeptPromise> kept;
  // Where misses are few by luck, so is what is seen of their coming together: it counts as where
  // they first are as few as promised.
  double promised_together = 0;
  std::int64_t looked_at = -1;  // misses of the last verdict, which hang on nothing else
  bool held = false;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    sample.add(judged[i]);
    if (i + 1 < judged.size() && judged[i + 1].score == judged[i].score) continue;
    if (promised_together == 0 && static_cast<double>(sample.missed) <=
                                      (1 - promise.recall) * static_cast<double>(sample.objects))
      promised_together = sample.objects_per_draw();
    const double together = std::max(promised_together, sample.objects_per_draw());
    if (std::exchange(looked_at, sample.missed) != sample.missed)
      held = holds(sample, together, promise);
    if (!held) {
      kept.reset();
    } else if (!kept) {
      kept = kept_at(judged[i].score, sample, together, promise);
    }
  }
  return kept;
}

/// The largest tenth of a percent that is kept; 0: none.
double recall_at_most(const std::vector<JudgedFound>& judged, Promise promise,
                      const Sample& nothing_found) {
  int kept = 0, broken = 1000;
  while (broken - kept > 1) {
    const int tenths = (kept + broken) / 2;
    promise.recall = tenths / 1000.0;
    Sample sample = nothing_found;
    (search(judged, promise, sample) ? kept : broken) = tenths;
  }
  return kept / 1000.0;
}

}  // namespace

std::int64_t allowed_misses(double objects, const Promise& promise) {
  std::int64_t allowed = -1;
  while (holds(objects, allowed + 1, promise)) ++allowed;
  return allowed;
}

PromiseResult keep_promise(std::span<const PictureResult> calibration, int classes,
                           const Promise& promise) {
  Sample nothing_found(calibration.size());
  const std::vector<JudgedFound> judged = judge_all(calibration, classes, nothing_found);
  Sample sample = nothing_found;
  PromiseResult result{.kept = search(judged, promise, sample)};
  if (!result.kept)
    result.broken = {.objects = sample.objects,
                     .pictures = sample.n_pictures(),
                     .objects_needed = objects_needed(sample.fullest, promise),
                     .missed = sample.missed,
                     .recall_at_most = recall_at_most(judged, promise, nothing_found)};
  return result;
}

}  // namespace letterpress
