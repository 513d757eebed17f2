#include "trainer/detection/suppression.h"

#include <algorithm>
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
std::vector<EntryInfo> suppression_infos() { return infos_of(entries); }

std::string suppressions_text() {
  std::string text;
  for (const EntryInfo& info : suppression_infos())
    text += (text.empty() ? "" : "; ") + info.name + ": " + info.help;
  return text;
}

double intersection_over_union(const CornerBox& a, const CornerBox& b) {
  const auto area = [](double width, double height) { return width * height; };
  const double common = area(std::max(0.0, std::min(a.x2, b.x2) - std::max(a.x1, b.x1)),
                             std::max(0.0, std::min(a.y2, b.y2) - std::max(a.y1, b.y1)));
  return common / (area(a.x2 - a.x1, a.y2 - a.y1) + area(b.x2 - b.x1, b.y2 - b.y1) - common);
}

}  // namespace letterpress
