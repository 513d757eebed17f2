#include "several_labels.h"

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {

std::string SeveralLabels::first_of(const std::vector<std::string>& labels) {
  if (labels.size() > 1 && boxes_++ == 0)
    example_ = in_quotes(labels[0]) + " before " + in_quotes(labels[1]);
  return labels.empty() ? "" : labels.front();
}

void SeveralLabels::add_to(std::vector<std::string>& remarks) const {
  if (boxes_ > 0)
    remarks.push_back(counted(boxes_, "box has", "boxes have") +
                      " several labels, of which the first is its class: " + example_);
}

}  // namespace letterpress::annotations
