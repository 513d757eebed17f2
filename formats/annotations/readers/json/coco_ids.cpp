#include "coco_ids.h"

#include <limits>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

}  // namespace

std::int64_t CocoIds::of(std::string_view text) {
  if (const auto number = parse_integer(text)) return *number;
  const auto next = kFirst + static_cast<std::int64_t>(texts_.size());
  const auto [known, is_new] = numbers_.emplace(text, next);
  if (is_new) texts_.emplace_back(text);
  return known->second;
}

std::string CocoIds::text(std::int64_t id) const {
  const auto place = id < 0 ? static_cast<std::size_t>(id - kFirst) : texts_.size();
  return place < texts_.size() ? in_quotes(texts_[place]) : std::to_string(id);
}

}  // namespace letterpress::annotations
