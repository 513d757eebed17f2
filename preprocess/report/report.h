#pragma once
#include <cstdint>
#include <string>

#include "letterpress/shards/store.h"

namespace letterpress {

/// A snapshot for people: one HTML page with everything in it (style, charts, pictures), to be
/// opened without a network, read in the light, in the dark and on paper. Accounting, splits,
/// classes, box sizes, anchors, sample pictures, rejects, and what changed since the snapshot
/// before. The same snapshot gives the same bytes. Every figure stands in an element with
/// data-figure or data-n, for programs. Throws Error when a shard is damaged.
struct ReportOptions {
  std::size_t samples = 6;    ///< pictures per split that are shown
  std::size_t rejects = 200;  ///< that are listed; all are in quarantine.jsonl
};
std::string report_html(const Store& store, const SnapshotReader& reader,
                        const ReportOptions& options = {});

}  // namespace letterpress
