#include "preprocess/build/statistics.h"

#include <algorithm>
#include <cmath>

#include "letterpress/shards/anchors.h"

namespace letterpress {
namespace {

constexpr int kAnchors = 9;
constexpr std::size_t kSizes = 20'000;  // more cost seconds in every build and move an anchor by less than a pixel
constexpr double kBinPixels = 8;

class BoxCounter {
 public:
  explicit BoxCounter(const Snapshot& snapshot) : classes_(snapshot.classes) {
    const double bins = std::ceil(snapshot.identity.side / kBinPixels);
    statistics_.box_side_histogram.assign(static_cast<std::size_t>(bins), 0);
    for (const std::string& name : classes_) statistics_.boxes_per_class[name] = 0;
  }

  void add_label(std::int32_t label) {
    if (label >= 0) ++statistics_.pictures_per_class[classes_.at(static_cast<std::size_t>(label))];
  }

  void add_row(std::span<const float> boxes, std::int32_t n) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const float* box = boxes.data() + 5 * i;
      const float width = box[2] - box[0], height = box[3] - box[1];
      const auto bin = static_cast<std::size_t>(std::sqrt(static_cast<double>(width) * height) / kBinPixels);
      ++statistics_.box_side_histogram[std::min(bin, statistics_.box_side_histogram.size() - 1)];
      ++statistics_.boxes_per_class[classes_.at(static_cast<std::size_t>(box[4]))];
    }
  }

  Statistics take() { return std::move(statistics_); }

 private:
  const std::vector<std::string>& classes_;
  Statistics statistics_;
};

}  // namespace

Statistics box_statistics(const SnapshotReader& reader) {
  const Snapshot& snapshot = reader.snapshot();
  BoxCounter counter(snapshot);
  int max_boxes = 0;
  for (std::size_t s = 0; s < snapshot.shards.size(); ++s) {
    const SnapshotShard& described = snapshot.shards[s];
    max_boxes = std::max(max_boxes, described.max_boxes);
    if (described.augmented) continue;
    const ShardReader& shard = reader.shard(static_cast<std::int32_t>(s));
    auto dead = described.dead.begin();
    for (std::int64_t row = 0; row < shard.rows(); ++row) {
      if (dead != described.dead.end() && *dead == row) {
        ++dead;
        continue;
      }
      counter.add_label(shard.label(row));
      counter.add_row(shard.boxes(row), shard.box_count(row));
    }
  }
  Statistics statistics = counter.take();
  statistics.max_boxes = max_boxes;
  if (std::ranges::find(snapshot.shards, "train", &SnapshotShard::split) == snapshot.shards.end()) return statistics;
  const auto sizes = box_sizes(reader, reader.pictures("train"), kSizes);
  if (!sizes.empty()) statistics.anchors = kmeans_anchors(sizes, kAnchors);
  return statistics;
}

}  // namespace letterpress
