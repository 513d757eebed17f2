#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// What a snapshot's rows hold, counted from the rows themselves; dead rows do not count.
struct SplitContents {
  std::int64_t pictures = 0, background = 0, augmented_rows = 0;
  std::int64_t boxes = 0, augmented_boxes = 0;
  std::vector<std::int64_t> boxes_per_class;     ///< clean rows, by class id
  std::vector<std::int64_t> pictures_per_class;  ///< by the label of the whole picture
};
struct Contents {
  std::map<std::string, SplitContents> splits;
  /// Whether pictures have a class and there is no box: then the report counts pictures per class.
  bool only_labels() const;
  /// Clean rows of all splits: sqrt(w * h) in pixels of the frame; kSizeBins equal bins from 0 to
  /// the side, the last one closed.
  std::vector<std::int64_t> box_sizes;
  std::vector<float> sizes;            ///< the same values, ascending
  std::map<int, std::int64_t> crowds;  ///< boxes per picture -> pictures
};
inline constexpr int kSizeBins = 32;

Contents count_contents(const SnapshotReader& reader);

/// What differs between two snapshots. Pictures with the same bytes are the same picture.
struct Changes {
  /// Names; moved: to another split.
  std::vector<std::string> added, removed, relabelled, moved, renamed;
  using PerClass = std::map<std::string, std::array<std::int64_t, 2>>;  ///< before, now
  PerClass boxes_per_class;
  PerClass pictures_per_class;  ///< by the label of the whole picture; empty in detection sets
};
Changes compare(const Snapshot& before, const std::vector<LedgerEntry>& ledger_before,
                const Snapshot& now, const std::vector<LedgerEntry>& ledger_now);

}  // namespace letterpress
