#include "names_apart.h"

#include <cstdint>
#include <string_view>

namespace letterpress::annotations {

void NamesApart::settle(AnnotationSet& set) const {
  if (whole_.empty()) return;
  std::unordered_map<std::string_view, std::int64_t> labels;
  for (const auto& [item, whole] : whole_) labels[set.items[item].path] = 0;
  for (const Item& item : set.items) {
    const auto known = labels.find(item.path);
    if (known != labels.end()) ++known->second;
  }
  for (const auto& [item, whole] : whole_) {
    if (labels.at(set.items[item].path) > 1) set.items[item].name = whole;
  }
}

}  // namespace letterpress::annotations
