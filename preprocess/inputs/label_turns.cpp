#include "preprocess/inputs/label_turns.h"

#include <optional>

namespace letterpress {
namespace {

std::optional<bool> told_before(const Candidate& candidate) {
  return are_before_turn(candidate.item, candidate.width, candidate.height, candidate.orientation);
}

}  // namespace

bool is_turn_untold(const Candidate& candidate) {
  return candidate.orientation > 1 && !candidate.item.boxes.empty() && !told_before(candidate);
}

LabelTurns::LabelTurns(const Inputs& inputs) {
  for (const Candidate& candidate : inputs.candidates) {
    if (candidate.reject || candidate.orientation <= 1) continue;
    untold_ += is_turn_untold(candidate);
    const std::optional<bool> before = told_before(candidate);
    (before.value_or(false) ? before_ : after_) += before.has_value();
  }
}

std::string LabelTurns::remark() const {
  if (untold_ == 0) return {};
  std::string text =
      "pictures with an EXIF turn and labels that do not say whether they are meant "
      "before or after it: " +
      std::to_string(untold_) + ", taken as " + (are_before() ? "before" : "after");
  if (before_ + after_ > 0)
    text += "; by the sizes that others state, before: " + std::to_string(before_) +
            ", after: " + std::to_string(after_);
  return text + "; `lint` names them";
}

}  // namespace letterpress
