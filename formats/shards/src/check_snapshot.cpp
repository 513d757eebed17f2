#include <algorithm>
#include <unordered_set>

#include "letterpress/base/error.h"
#include "letterpress/base/nesting.h"
#include "letterpress/base/side.h"
#include "letterpress/base/split_name.h"
#include "letterpress/shards/snapshot.h"

namespace letterpress {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 53;  // pictures, boxes or rows
constexpr std::size_t kMostAnchors = 9;
constexpr double kLargestAnchor = 2.0 * kLargestSide;

class Check {
 public:
  Check(const Snapshot& snapshot, const std::string& where) : snapshot_(snapshot), where_(where) {}

  void run() const {
    check_nesting(snapshot_.identity.recipe_json, where_ + ": recipe_json");
    check_nesting(snapshot_.configuration_json, where_ + ": configuration");
    if (!is_side(snapshot_.identity.side))
      fail("side is " + std::to_string(snapshot_.identity.side) + ", must be " + kSideLimits.text);
    bounded(snapshot_.generation, kMost, "generation");
    bounded(snapshot_.parent, kMost, "parent");
    bounded(snapshot_.views, kMostViews, "views");
    check_accounting();
    check_shards();
    check_statistics();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error({.where = where_, .what = "damaged: " + what, .fix = "restore it from a copy"});
  }

  void bounded(std::int64_t value, std::int64_t most, const std::string& name) const {
    if (value >= 0 && value <= most) return;
    fail(name + " is " + std::to_string(value) + ", must be 0.." + std::to_string(most));
  }

  void check_accounting() const {
    const Accounting& a = snapshot_.accounting;
    for (const std::int64_t count :
         {a.pictures_found, a.pictures_stored, a.pictures_background, a.pictures_duplicate,
          a.pictures_rejected, a.boxes_found, a.boxes_stored, a.boxes_merged, a.boxes_rejected,
          a.boxes_clipped, a.moved_to_val, a.pictures_cmyk, a.pictures_alpha, a.pictures_deep,
          a.pictures_unlabelled})
      bounded(count, kMost, "a number of its accounting");
    const TileAccounting tiles = a.tiles.value_or(TileAccounting{});
    for (const std::int64_t count :
         {tiles.laid, tiles.stored, tiles.background, tiles.left_out, tiles.rejected,
          tiles.boxes_whole, tiles.boxes_cut, tiles.boxes_outside})
      bounded(count, kMost, "a number of its accounting of tiles");
  }

  void check_shards() const {
    std::unordered_set<Hash128> digests;
    for (std::size_t i = 0; i < snapshot_.shards.size(); ++i) {
      const SnapshotShard& shard = snapshot_.shards[i];
      const std::string name = "of shard " + std::to_string(i) + ", ";
      bounded(shard.rows, kMostShardRows, name + "rows");
      bounded(shard.max_boxes, kMostBoxes, name + "max_boxes");
      const bool dead_fit =
          shard.dead.empty() || (shard.dead.front() >= 0 && shard.dead.back() < shard.rows);
      if (!dead_fit || !std::ranges::is_sorted(shard.dead, std::ranges::less_equal()))
        fail(name + "the dead rows do not ascend within its " + std::to_string(shard.rows));
      if (!shard.channel_sum.empty() && shard.channel_sum.size() != 3)
        fail(name + "there are " + std::to_string(shard.channel_sum.size()) + " sums of channels");
      if (!can_name_split(shard.split))
        fail(name + "the split is '" + shard.split + "', which cannot name a folder");
      // Those of a plan have no digest yet.
      if (shard.digest != Hash128{} && !digests.insert(shard.digest).second)
        fail("shard " + shard.digest.hex() + " is named twice");
    }
  }

  void check_statistics() const {
    const Statistics& found = snapshot_.statistics;
    int most = 0;
    for (const SnapshotShard& shard : snapshot_.shards) most = std::max(most, shard.max_boxes);
    bounded(found.max_boxes, most,
            "max_boxes, of which the shards have up to " + std::to_string(most) + ",");
    for (const auto* classes : {&found.boxes_per_class, &found.pictures_per_class})
      for (const auto& [name, count] : *classes) bounded(count, kMost, "the count of " + name);
    for (const std::int64_t count : found.box_side_histogram)
      bounded(count, kMost, "a count of box_side_histogram");
    const auto holds = [](double value, double high) { return value >= 0 && value <= high; };
    if (!std::ranges::all_of(found.channel_mean, [&](double mean) { return holds(mean, 255); }))
      fail("channel_mean is not 0..255");
    const bool are_anchors = std::ranges::all_of(found.anchors, [&](const auto& anchor) {
      return holds(anchor[0], kLargestAnchor) && holds(anchor[1], kLargestAnchor);
    });
    if (!are_anchors || found.anchors.size() > kMostAnchors)
      fail("anchors are not up to " + std::to_string(kMostAnchors) + " widths and heights");
  }

  const Snapshot& snapshot_;
  const std::string& where_;
};

}  // namespace

void check_snapshot(const Snapshot& snapshot, const std::string& where) {
  Check(snapshot, where).run();
}

std::vector<std::string> contradictions_in(const Snapshot& snapshot) {
  std::vector<std::string> found;
  const auto demand = [&](bool holds, const std::string& what) {
    if (!holds) found.push_back(what);
  };
  std::int64_t live = 0;
  for (const SnapshotShard& shard : snapshot.shards)
    live += shard.rows - static_cast<std::int64_t>(shard.dead.size());
  demand(live > 0, "it has no row that may be used");
  demand(!snapshot.classes.empty(), "it has no classes");
  const Accounting& sums = snapshot.accounting;
  demand(sums.pictures_found == sums.pictures_accounted(),
         "of its pictures, found is not stored + duplicate + rejected");
  demand(sums.boxes_found == sums.boxes_accounted(),
         "of its boxes, found is not stored + merged + rejected");
  if (const auto& tiles = sums.tiles) {
    demand(tiles->laid == tiles->accounted(),
           "of its tiles, laid is not stored + left out + rejected");
    demand(sums.boxes_stored == tiles->boxes_accounted(),
           "of its boxes, stored is not whole + cut + outside of the tiles");
  }
  return found;
}

}  // namespace letterpress
