#include "preprocess/plan/kept_classes.h"

#include <algorithm>
#include <cmath>

#include "letterpress/base/error.h"
#include "letterpress/shards/letterbox.h"

namespace letterpress {
namespace {

bool is_at(const LabelBox& box, const Affine& to_frame, const LabelBox& stored) {
  const auto [x1, y1] = apply(to_frame, box.x1, box.y1);
  const auto [x2, y2] = apply(to_frame, box.x2, box.y2);
  return std::max({std::abs(x1 - stored.x1), std::abs(y1 - stored.y1), std::abs(x2 - stored.x2),
                   std::abs(y2 - stored.y2)}) <= 1;
}

}  // namespace

bool KeptClasses::has_name(int class_id, const std::string& name) const {
  const auto id = static_cast<std::size_t>(class_id);
  return previous_.snapshot.classes.at(id) == name ||
         (id < previous_.old_classes.size() && previous_.old_classes[id] == name);
}

const ShardReader& KeptClasses::shard(std::int32_t index) {
  const auto known = shards_.find(index);
  if (known != shards_.end()) return known->second;
  return shards_
      .emplace(index, open_shard(store_, previous_.snapshot, static_cast<std::size_t>(index)))
      .first->second;
}

KeptClasses::Counts KeptClasses::count(const Candidate& candidate, const LedgerEntry& entry,
                                       const std::vector<std::string>& old_names,
                                       const std::vector<std::string>& new_names) try {
  Counts counts;
  if (previous_.snapshot.accounting.tiles || entry.rows.empty()) return counts;
  const std::int64_t row = entry.rows.front().row;
  const ShardReader& reader = shard(entry.rows.front().shard);
  const Affine to_frame = reader.letterbox(row);
  const std::vector<LabelBox> stored = reader.label_boxes(row);
  for (const LabelBox& box : candidate.boxes) {
    const std::string& by_old = old_names.at(static_cast<std::size_t>(box.class_id));
    const std::string& by_new = new_names.at(static_cast<std::size_t>(box.class_id));
    if (by_old == by_new) continue;
    const auto there = [&](const std::string& name) {
      return std::ranges::any_of(stored, [&](const LabelBox& other) {
        return is_at(box, to_frame, other) && has_name(other.class_id, name);
      });
    };
    const bool kept_by_old = there(by_old), kept_by_new = there(by_new);
    counts.by_old += kept_by_old && !kept_by_new ? 1 : 0;
    counts.by_new += kept_by_new && !kept_by_old ? 1 : 0;
  }
  return counts;
} catch (const Error&) {
  return {};
}

}  // namespace letterpress
