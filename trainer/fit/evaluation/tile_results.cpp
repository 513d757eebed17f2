#include "trainer/fit/evaluation/tile_results.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "letterpress/shards/tiles.h"
#include "trainer/detection/merge_tiles.h"

namespace letterpress {
namespace {

std::optional<TileRule> rule_of(const SnapshotReader& reader) {
  return tile_rule_of_recipe(reader.snapshot().identity.recipe_json);
}

Hash128 hash_of(const SnapshotReader& reader, const PictureRows& row) {
  return reader.shard(row.clean.shard).source_hash(row.clean.row);
}

Detection detection_of(const Found& found) {
  return {static_cast<float>(found.box.x),
          static_cast<float>(found.box.y),
          static_cast<float>(found.box.x + found.box.width),
          static_cast<float>(found.box.y + found.box.height),
          static_cast<float>(found.score),
          found.class_id};
}

// Tiles state the corners of a whole box alike. Equal boxes of one tile are as many labels.
void add_ground_truths(const std::vector<GroundTruth>& of_tile, std::vector<GroundTruth>& all) {
  const auto key = [](const GroundTruth& one) {
    return std::tuple(one.class_id, one.box.x, one.box.y, one.box.width, one.box.height, one.crowd,
                      one.difficult);
  };
  std::map<decltype(key(all.front())), std::ptrdiff_t> wanted, there;
  for (const GroundTruth& one : all) ++there[key(one)];
  for (const GroundTruth& one : of_tile) {
    if (++wanted[key(one)] <= there[key(one)]) continue;
    ++there[key(one)];
    all.push_back(one);
  }
}

}  // namespace

bool holds_tiles(const SnapshotReader& reader) { return rule_of(reader).has_value(); }

std::vector<std::vector<std::size_t>> rows_of_pictures(const SnapshotReader& reader,
                                                       const std::vector<PictureRows>& rows) {
  std::vector<std::vector<std::size_t>> pictures;
  std::map<Hash128, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [place, is_new] = places.emplace(hash_of(reader, rows[i]), pictures.size());
    if (is_new) pictures.emplace_back();
    pictures[place->second].push_back(i);
  }
  return pictures;
}

std::vector<PictureRows> source_pictures(const SnapshotReader& reader,
                                         const std::vector<PictureRows>& rows) {
  if (!holds_tiles(reader)) return rows;
  std::vector<PictureRows> pictures;
  for (const std::vector<std::size_t>& tiles : rows_of_pictures(reader, rows))
    pictures.push_back(rows[tiles.front()]);
  return pictures;
}

std::vector<PictureResult> results_of_pictures(const SnapshotReader& reader,
                                               const std::vector<PictureRows>& rows,
                                               std::vector<PictureResult> results,
                                               const DetectionOptions& options) {
  const std::optional<TileRule> rule = rule_of(reader);
  if (!rule) return results;
  std::vector<PictureResult> merged;
  for (const std::vector<std::size_t>& tiles : rows_of_pictures(reader, rows)) {
    PictureResult& picture = merged.emplace_back();
    const RowPlace& first = rows[tiles.front()].clean;
    const auto [width, height] = reader.shard(first.shard).source_size(first.row);
    // Where a tile lies in its frame does not matter here.
    const TileGrid grid(width, height, reader.snapshot().identity.side, *rule, LetterboxRule{});
    std::vector<TileDetections> found;
    for (const std::size_t i : tiles) {
      TileDetections& tile = found.emplace_back(TileDetections{grid.place(rows[i].tile), {}});
      for (const Found& one : results[i].found) tile.found.push_back(detection_of(one));
      add_ground_truths(results[i].ground_truths, picture.ground_truths);
    }
    picture.found = picture_result({}, merge_tiles(found, width, height, options)).found;
  }
  return merged;
}

}  // namespace letterpress
