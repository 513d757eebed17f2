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

}  // namespace letterpress
