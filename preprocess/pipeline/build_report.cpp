#include "preprocess/pipeline/build_report.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace letterpress {

namespace {

// A picture whose missing views are not next to each other is planned once for each stretch.
std::int64_t count_pictures(const Plan& plan) {
  std::vector<bool> seen(plan.ledger.size(), false);
  for (const PlannedPicture& picture : plan.pictures)
    seen[static_cast<std::size_t>(picture.entry)] = true;
  return std::ranges::count(seen, true);
}

}  // namespace

void describe_plan(const Plan& plan, BuildReport& report) {
  const std::int64_t side = plan.snapshot.identity.side;
  report.accounting = plan.snapshot.accounting;
  report.pictures_new = count_pictures(plan);
  report.shards_new = static_cast<std::int64_t>(plan.shards.size());
  report.rows_new = report.rows_copied = report.rows_resumed = 0;
  for (const PlannedShard& shard : plan.shards) {
    report.rows_new += static_cast<std::int64_t>(shard.row_picture.size());
    report.rows_copied += static_cast<std::int64_t>(shard.copies.size());
  }
  report.bytes_new = report.rows_new * 3 * side * side;
  report.pictures_per_split = count_splits(plan.ledger);
}

void describe_published(Published published, BuildReport& report) {
  report.published = true;
  report.generation = published.generation;
  report.accounting = published.accounting;
  report.pictures_new -= published.undecodable;
  if (report.rows_new > 0)
    report.bytes_new -= report.bytes_new / report.rows_new * published.rows_lost;
  report.rows_new -= published.rows_lost;
  report.pictures_per_split = std::move(published.pictures_per_split);
  report.rejects = std::move(published.rejects);
  report.ledger = std::move(published.ledger);
  report.drift = published.drift;
}

}  // namespace letterpress
