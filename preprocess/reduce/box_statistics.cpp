#include "preprocess/reduce/box_statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "letterpress/shards/anchors.h"

namespace letterpress {
namespace {

constexpr int kAnchors = 9;
constexpr std::size_t kSizes =
    10'000;  // more cost every build time and move an anchor by a pixel or two
constexpr double kBinPixels = 8;
constexpr std::int64_t kMostReserved = 1 << 20;  // boxes: their number is the plan's own claim

}  // namespace

BoxStatistics::BoxStatistics(const Snapshot& snapshot) : classes_(snapshot.classes) {
  const double bins = std::ceil(snapshot.identity.side / kBinPixels);
  statistics_.box_side_histogram.assign(static_cast<std::size_t>(bins), 0);
  for (const std::string& name : classes_) statistics_.boxes_per_class[name] = 0;
  std::int64_t rows = 0;
  for (const SnapshotShard& shard : snapshot.shards)
    rows += shard.split == "train" ? shard.rows : 0;
  train_rows_.reserve(static_cast<std::size_t>(rows));
  train_sizes_.reserve(static_cast<std::size_t>(
      std::min(snapshot.accounting.boxes_stored, kMostReserved) * (1 + snapshot.views)));
}

void BoxStatistics::add(const ShardReader& shard, const SnapshotShard& described) {
  statistics_.max_boxes = std::max(statistics_.max_boxes, described.max_boxes);
  auto dead = described.dead.begin();
  for (std::int64_t row = 0; row < shard.rows(); ++row) {
    if (dead != described.dead.end() && *dead == row) {
      ++dead;
      continue;
    }
    if (!described.augmented) count(shard, row);
    if (described.split == "train" && shard.view(row) >= 0) keep_sizes(shard, row);
  }
}

void BoxStatistics::count(const ShardReader& shard, std::int64_t row) {
  if (const std::int32_t label = shard.label(row); label >= 0)
    ++statistics_.pictures_per_class[classes_.at(static_cast<std::size_t>(label))];
  for (const LabelBox& box : shard.label_boxes(row)) {
    const float width = box.x2 - box.x1, height = box.y2 - box.y1;
    const auto bin =
        static_cast<std::size_t>(std::sqrt(static_cast<double>(width) * height) / kBinPixels);
    ++statistics_.box_side_histogram[std::min(bin, statistics_.box_side_histogram.size() - 1)];
    ++statistics_.boxes_per_class[classes_.at(static_cast<std::size_t>(box.class_id))];
  }
}

void BoxStatistics::keep_sizes(const ShardReader& shard, std::int64_t row) {
  const std::size_t first = train_sizes_.size();
  add_box_sizes(shard, row, train_sizes_);
  train_rows_.push_back({shard.source_hash(row), shard.tile(row), shard.view(row),
                         static_cast<std::int32_t>(train_sizes_.size() - first), first});
}

// As SnapshotReader orders its pictures, whichever shards hold them; those without a clean row are
// not among them. What box_sizes() takes of them all, which are not put in order for it: with those
// that wait for it they would be most of what a build has in memory.
BoxStatistics::Sizes BoxStatistics::sizes_in_order(std::size_t most) {
  std::ranges::sort(train_rows_, {}, [](const TrainRow& row) {
    return std::tuple(row.picture, row.tile, row.view);
  });
  std::vector<TrainRow> rows;
  std::size_t total = 0;
  std::pair<Hash128, std::int32_t> whole;  // picture and tile whose clean row came last
  for (const TrainRow& row : train_rows_) {
    if (row.view == 0) whole = {row.picture, row.tile};
    if (std::pair(row.picture, row.tile) != whole) continue;
    rows.push_back(row);
    total += static_cast<std::size_t>(row.boxes);
  }
  const std::size_t n = std::min(total, most);
  Sizes taken;
  std::size_t before = 0;  // sizes of the rows before
  for (const TrainRow& row : rows) {
    const std::size_t end = before + static_cast<std::size_t>(row.boxes);
    while (taken.size() < n && evenly_placed(taken.size(), total, n) < end)
      taken.push_back(train_sizes_[row.first_box + evenly_placed(taken.size(), total, n) - before]);
    before = end;
  }
  return taken;
}

Statistics BoxStatistics::take() {
  const Sizes sizes = sizes_in_order(kSizes);
  if (!sizes.empty()) statistics_.anchors = kmeans_anchors(sizes, kAnchors);
  return std::move(statistics_);
}

}  // namespace letterpress
