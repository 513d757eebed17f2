#include "preprocess/report/contents.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace letterpress {
namespace {

void count_clean(const ShardReader& shard, std::int64_t row, SplitContents& split,
                 Contents& contents) {
  const std::int32_t n = shard.box_count(row);
  ++split.pictures;
  ++contents.crowds[n];
  if (shard.label(row) >= 0)
    ++split.pictures_per_class.at(static_cast<std::size_t>(shard.label(row)));
  split.background += n == 0 && shard.label(row) < 0 ? 1 : 0;
  for (const LabelBox& box : shard.label_boxes(row)) {
    ++split.boxes;
    ++split.boxes_per_class.at(static_cast<std::size_t>(box.class_id));
    contents.sizes.push_back(std::sqrt((box.x2 - box.x1) * (box.y2 - box.y1)));
  }
}

using ByHash = std::unordered_map<Hash128, const LedgerEntry*>;

ByHash stored(const std::vector<LedgerEntry>& ledger) {
  ByHash entries;
  for (const LedgerEntry& entry : ledger) {
    if (entry.state == InputState::stored) entries.emplace(entry.picture_hash, &entry);
  }
  return entries;
}

void compare_picture(const LedgerEntry& before, const LedgerEntry& now, Changes& changes) {
  if (before.labels_hash != now.labels_hash) changes.relabelled.push_back(now.name);
  if (before.split != now.split)
    changes.moved.push_back(now.name + " (" + before.split + " to " + now.split + ")");
  if (before.path != now.path) changes.renamed.push_back(before.name + " to " + now.name);
}

Changes::PerClass side_by_side(const std::map<std::string, std::int64_t>& before,
                               const std::map<std::string, std::int64_t>& now) {
  Changes::PerClass counts;
  for (const auto& [name, n] : before) counts[name][0] = n;
  for (const auto& [name, n] : now) counts[name][1] = n;
  return counts;
}

}  // namespace

bool Contents::only_labels() const {
  std::int64_t labels = 0, boxes = 0;
  for (const auto& [name, split] : splits) {
    boxes += split.boxes;
    for (const std::int64_t n : split.pictures_per_class) labels += n;
  }
  return labels > 0 && boxes == 0;
}

Contents count_contents(const SnapshotReader& reader) {
  Contents contents;
  std::set<std::string> names;
  for (const SnapshotShard& shard : reader.snapshot().shards) names.insert(shard.split);
  for (const std::string& name : names) {
    SplitContents& split = contents.splits[name];
    split.boxes_per_class.assign(reader.snapshot().classes.size(), 0);
    split.pictures_per_class = split.boxes_per_class;
    for (const PictureRows& picture : reader.pictures(name)) {
      count_clean(reader.shard(picture.clean.shard), picture.clean.row, split, contents);
      for (const RowPlace& place : picture.augmented)
        split.augmented_boxes += reader.shard(place.shard).box_count(place.row);
      split.augmented_rows += static_cast<std::int64_t>(picture.augmented.size());
    }
  }
  std::sort(contents.sizes.begin(), contents.sizes.end());
  contents.box_sizes.assign(kSizeBins, 0);
  for (const float size : contents.sizes) {
    const auto bin = static_cast<std::size_t>(size * kSizeBins /
                                              static_cast<float>(reader.snapshot().identity.side));
    ++contents.box_sizes[std::min(bin, contents.box_sizes.size() - 1)];
  }
  return contents;
}

Changes compare(const Snapshot& before, const std::vector<LedgerEntry>& ledger_before,
                const Snapshot& now, const std::vector<LedgerEntry>& ledger_now) {
  Changes changes;
  const ByHash old_entries = stored(ledger_before), new_entries = stored(ledger_now);
  for (const LedgerEntry& entry : ledger_now) {
    if (entry.state != InputState::stored) continue;
    const auto old = old_entries.find(entry.picture_hash);
    if (old == old_entries.end()) {
      changes.added.push_back(entry.name);
    } else {
      compare_picture(*old->second, entry, changes);
    }
  }
  for (const LedgerEntry& entry : ledger_before) {
    if (entry.state == InputState::stored && !new_entries.contains(entry.picture_hash))
      changes.removed.push_back(entry.name);
  }
  changes.boxes_per_class =
      side_by_side(before.statistics.boxes_per_class, now.statistics.boxes_per_class);
  changes.pictures_per_class =
      side_by_side(before.statistics.pictures_per_class, now.statistics.pictures_per_class);
  return changes;
}

}  // namespace letterpress
