#include <ATen/Parallel.h>

#include <algorithm>

#include "letterpress/base/error.h"
#include "trainer/detection/decode.h"
#include "trainer/detection/suppression.h"

namespace letterpress {
namespace {

constexpr float kNone = -1;           // score of a slot without candidate
constexpr std::int64_t kColumns = 6;  // of a candidate: x1 y1 x2 y2 score class

torch::Tensor thresholds(const Candidates& candidates, const DetectionOptions& options) {
  const std::int64_t classes = candidates.scores.size(2);
  if (options.class_confidence.empty())
    return torch::full({classes}, options.confidence, candidates.scores.options());
  if (static_cast<std::int64_t>(options.class_confidence.size()) != classes) {
    throw Error({.where = "detection",
                 .what = "class_confidence has " + std::to_string(options.class_confidence.size()) +
                         " scores, the model " + std::to_string(classes) + " classes"},
                Exit::bug);
  }
  return torch::tensor(options.class_confidence).to(candidates.scores.device());
}

/// The candidates of all pictures side by side, each picture's best first; of equal scores the
/// lower box, then the lower class. float32 [B, K, 6] on the host, score kNone after a picture's
/// last. All that waits for the device is here.
torch::Tensor rank(const Candidates& candidates, const DetectionOptions& options) {
  const std::int64_t pictures = candidates.boxes.size(0), classes = candidates.scores.size(2);
  const torch::Tensor lowest = thresholds(candidates, options);
  const torch::Tensor where =
      (candidates.scores > lowest).nonzero();  // [n, 3] picture, prediction, class: in this order
  const torch::Tensor picture = where.select(1, 0),
                      place = where.select(1, 1) * classes + where.select(1, 2);
  const torch::Tensor counts = torch::bincount(picture, {}, pictures);
  const std::int64_t widest = where.size(0) == 0 ? 0 : counts.max().item<std::int64_t>();
  const torch::Tensor position = torch::arange(where.size(0), where.options()) -
                                 (counts.cumsum(0) - counts).index_select(0, picture);
  torch::Tensor scores = torch::full({pictures, widest}, kNone, candidates.scores.options());
  torch::Tensor places = torch::zeros({pictures, widest}, where.options());
  scores.index_put_({picture, position}, candidates.scores.flatten(1).index({picture, place}));
  places.index_put_({picture, position}, place);
  const auto [sorted, order] = scores.sort(/*stable=*/true, 1, /*descending=*/true);
  const std::int64_t kept = std::min<std::int64_t>(widest, options.max_candidates);
  places = places.gather(1, order.narrow(1, 0, kept));
  const torch::Tensor box =
      torch::div(places, classes, "floor").unsqueeze(2).expand({pictures, kept, 4});
  const torch::Tensor class_id = places.remainder(classes);
  return torch::cat({candidates.boxes.gather(1, box), sorted.narrow(1, 0, kept).unsqueeze(2),
                     class_id.to(torch::kFloat).unsqueeze(2)},
                    2)
      .cpu()
      .contiguous();
}

struct Candidate {
  Extent box;
  float score;
  std::int32_t class_id;
};

/// What is left of one picture, best first at the start.
class Contest {
 public:
  Contest(const float* rows, std::int64_t n, const DetectionOptions& options)
      : options_(options), variant_(find_suppression(options.suppression)) {
    for (const float* row = rows; row != rows + n * kColumns && row[4] > kNone; row += kColumns)
      left_.push_back(
          {{row[0], row[1], row[2], row[3]}, row[4], static_cast<std::int32_t>(row[5])});
  }

  std::vector<Detection> take_best() {
    std::vector<Detection> taken;
    while (!left_.empty() && std::ssize(taken) < options_.max_detections) {
      const Candidate best = left_[best_];
      const auto corner = [](double x) { return static_cast<float>(x); };
      taken.push_back({corner(best.box.x1), corner(best.box.y1), corner(best.box.x2),
                       corner(best.box.y2), best.score, best.class_id});
      lower_others(best);
    }
    return taken;
  }

 private:
  float limit(std::int32_t class_id) const {
    return options_.class_confidence.empty()
               ? options_.confidence
               : options_.class_confidence[static_cast<std::size_t>(class_id)];
  }

  // In one pass: those that stay close up in their order, and of equal ones the first is the best.
  void lower_others(const Candidate& best) {
    std::size_t kept = 0, next = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      Candidate other = left_[i];
      if (i == best_) continue;
      if (variant_.across_classes || other.class_id == best.class_id) {
        other.score = static_cast<float>(
            other.score * variant_.factor(best.box, other.box, static_cast<double>(options_.iou)));
        if (!(other.score > limit(other.class_id))) continue;
      }
      left_[kept] = other;
      if (other.score > left_[next].score) next = kept;
      ++kept;
    }
    left_.resize(kept);
    best_ = next;
  }

  const DetectionOptions& options_;
  const SuppressionEntry& variant_;
  std::vector<Candidate> left_;
  std::size_t best_ = 0;
};

template <class Number>
void require(const std::string& field, Number got, const Limits& limits) {
  if (!limits.hold(got))
    throw Error(
        {.where = "detection", .what = field + " is " + c10::str(got) + ", must be " + limits.text},
        Exit::usage);
}

}  // namespace

void validate(const DetectionOptions& options) {
  require("confidence", options.confidence, kConfidenceLimits);
  for (const float score : options.class_confidence)
    require("class_confidence", score, kConfidenceLimits);
  require("iou", options.iou, kIouLimits);
  require("max_detections", options.max_detections, kOneOrMore);
  require("max_candidates", options.max_candidates, kOneOrMore);
  find_suppression(options.suppression);
}

std::vector<std::vector<Detection>> suppress(const Candidates& candidates,
                                             const DetectionOptions& options) {
  torch::NoGradGuard no_gradient;
  const torch::Tensor ranked = rank(candidates, options);
  const std::int64_t pictures = ranked.size(0), n = ranked.size(1);
  const float* const rows = ranked.const_data_ptr<float>();
  std::vector<std::vector<Detection>> found(static_cast<std::size_t>(pictures));
  at::parallel_for(0, pictures, 1, [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i)
      found[static_cast<std::size_t>(i)] = Contest(rows + i * n * kColumns, n, options).take_best();
  });
  return found;
}

}  // namespace letterpress
