#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// What lint has found, for the page.
struct ReportedFindings {
  struct Kind {
    std::string name;  ///< "tiny-box"
    std::int64_t n = 0;
    std::string picture, what, fix;  ///< of the first
  };
  std::vector<Kind> kinds{};
  std::vector<std::string> leaks{};  ///< a line for each split that leaks
};

struct ReportOptions {
  std::size_t samples = 6;                     ///< pictures that are shown per split
  std::size_t rejects = 200;                   ///< how many are listed; all are in quarantine.jsonl
  std::optional<ReportedFindings> findings{};  ///< none: lint was not run
};
/// A snapshot for people: one HTML page that contains everything it needs (style, charts,
/// pictures). Shows accounting, splits, what lint has found, pictures, classes, box sizes and
/// places, cut boxes, anchors, sample pictures, rejects, and what changed since the previous
/// snapshot. The same snapshot gives the same bytes. Every number is in an element with data-figure
/// or data-n, for programs. Throws Error if a shard is damaged.
std::string report_html(const Store& store, const SnapshotReader& reader,
                        const ReportOptions& options = {});

}  // namespace letterpress
