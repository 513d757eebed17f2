#pragma once
#include <cstdint>
#include <string>

#include "letterpress/shards/store.h"

namespace letterpress {

struct ReportOptions {
  std::size_t samples = 6;    ///< pictures that are shown per split
  std::size_t rejects = 200;  ///< how many are listed; all are in quarantine.jsonl
};
/// A snapshot for people: one HTML page that contains everything it needs (style, charts,
/// pictures). Shows accounting, splits, classes, box sizes, anchors, sample pictures, rejects, and
/// what changed since the previous snapshot. The same snapshot gives the same bytes. Every number
/// is in an element with data-figure or data-n, for programs. Throws Error if a shard is damaged.
std::string report_html(const Store& store, const SnapshotReader& reader,
                        const ReportOptions& options = {});

}  // namespace letterpress
