#include "preprocess/inputs/check_labels.h"

#include "preprocess/inputs/label_turns.h"

namespace letterpress {

void check_labels(Inputs& inputs) {
  const LabelTurns turns(inputs);
  if (std::string remark = turns.remark(); !remark.empty())
    inputs.recognised.push_back(std::move(remark));
  for (Candidate& candidate : inputs.candidates) {
    if (candidate.reject) continue;
    CheckedBoxes checked = check_boxes(candidate.item, candidate.width, candidate.height,
                                       candidate.orientation, turns.are_before());
    inputs.boxes_rejected +=
        static_cast<std::int64_t>(candidate.item.boxes.size() - checked.boxes.size());
    for (std::size_t i = 0; i < checked.rejects.size(); ++i) {
      Reject& reject = checked.rejects[i];
      add_box_out(candidate,
                  "object " + std::to_string(checked.rejected[i]) + ": " + ledger_reason(reject));
      inputs.box_rejects.push_back(std::move(reject));
      ++inputs.boxes_unusable;
    }
    candidate.boxes = std::move(checked.boxes);
    std::vector<LabelBox>().swap(
        candidate.item.boxes);  // memory per picture is what limits the size of a set
    candidate.clipped = checked.clipped;
  }
}

}  // namespace letterpress
