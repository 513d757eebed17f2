#include "trainer/detection/suppression.h"

#include <array>

#include "letterpress/base/registry.h"

namespace letterpress {

extern const SuppressionEntry agnostic_suppression, class_suppression, diou_suppression,
    soft_suppression;

namespace {
constexpr std::array entries{&class_suppression, &agnostic_suppression, &diou_suppression,
                             &soft_suppression};
}  // namespace

const SuppressionEntry& find_suppression(const std::string& name) {
  return find_entry(entries, "suppression", name);
}
std::vector<SuppressionInfo> suppression_infos() { return infos_of<SuppressionInfo>(entries); }

std::string suppressions_text() {
  std::string text;
  for (const SuppressionInfo& info : suppression_infos())
    text += (text.empty() ? "" : "; ") + info.name + ": " + info.help;
  return text;
}

torch::Tensor intersection_over_union(const torch::Tensor& best, const torch::Tensor& boxes) {
  const torch::Tensor first = torch::maximum(best.narrow(0, 0, 2), boxes.narrow(0, 0, 2));
  const torch::Tensor last = torch::minimum(best.narrow(0, 2, 2), boxes.narrow(0, 2, 2));
  const auto area = [](const torch::Tensor& size) { return size[0] * size[1]; };
  const auto size = [](const torch::Tensor& box) {
    return box.narrow(0, 2, 2) - box.narrow(0, 0, 2);
  };
  const torch::Tensor common = area((last - first).clamp_min(0));
  return common / (area(size(best)) + area(size(boxes)) - common);
}

}  // namespace letterpress
