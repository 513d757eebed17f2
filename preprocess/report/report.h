#pragma once
#include <string>

#include "letterpress/shards/store.h"
#include "preprocess/report/report_options.h"

namespace letterpress {

/// A snapshot for people: one HTML page that contains everything it needs (style, charts,
/// pictures). Shows accounting, splits, what lint has found, pictures, classes, box sizes and
/// places, cut boxes, anchors, sample pictures, rejects, and what changed since the previous
/// snapshot. The same snapshot gives the same bytes. Every number is in an element with data-figure
/// or data-n, for programs. Throws Error if a shard is damaged.
std::string report_html(const Store& store, const SnapshotReader& reader,
                        const ReportOptions& options = {});

}  // namespace letterpress
