#include "trainer/detection/merge_tiles.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "letterpress/base/extent.h"

namespace letterpress {
namespace {

// A box that ends so near to a tile's edge, in shares of the tile, is cut there; so much a box's
// edge may be off.
constexpr double kNearEdge = 0.01;

Extent extent_of(const Detection& box) { return {box.x1, box.y1, box.x2, box.y2}; }
Extent extent_of(const TilePlace& place) {
  return {1.0 * place.x, 1.0 * place.y, 1.0 * place.x + place.width, 1.0 * place.y + place.height};
}
Extent around(const Extent& a, const Extent& b) {
  return {std::min(a.x1, b.x1), std::min(a.y1, b.y1), std::max(a.x2, b.x2), std::max(a.y2, b.y2)};
}

void put(const Extent& extent, Detection& box) {
  box.x1 = static_cast<float>(extent.x1);
  box.y1 = static_cast<float>(extent.y1);
  box.x2 = static_cast<float>(extent.x2);
  box.y2 = static_cast<float>(extent.y2);
}

// One detection and the tile that it is from.
struct Member {
  std::size_t tile = 0, number = 0;  // number: of the detection in it
  Detection found;
};

// By tile: the other ones that overlap it, ascending.
std::vector<std::vector<std::size_t>> neighbours_of(std::span<const TileDetections> tiles) {
  double cell = 1;  // no tile is wider or higher, so that it lies in four cells at most
  for (const TileDetections& tile : tiles)
    cell = std::max({cell, 1.0 * tile.place.width, 1.0 * tile.place.height});
  std::map<std::pair<int, int>, std::vector<std::size_t>> in_cell;
  const auto for_cells_of = [&](std::size_t tile, const auto& act) {
    const Extent place = extent_of(tiles[tile].place);
    for (int y = static_cast<int>(place.y1 / cell); y <= static_cast<int>(place.y2 / cell); ++y)
      for (int x = static_cast<int>(place.x1 / cell); x <= static_cast<int>(place.x2 / cell); ++x)
        act(in_cell[{x, y}]);
  };
  for (std::size_t tile = 0; tile < tiles.size(); ++tile)
    for_cells_of(tile, [&](std::vector<std::size_t>& of_cell) { of_cell.push_back(tile); });
  std::vector<std::vector<std::size_t>> neighbours(tiles.size());
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    const Extent place = extent_of(tiles[tile].place);
    std::set<std::size_t> near;
    for_cells_of(tile, [&](const std::vector<std::size_t>& of_cell) {
      for (const std::size_t other : of_cell)
        if (other != tile && intersection(place, extent_of(tiles[other].place)).area() > 0)
          near.insert(other);
    });
    neighbours[tile].assign(near.begin(), near.end());
  }
  return neighbours;
}

class Merger {
 public:
  Merger(std::span<const TileDetections> tiles, int width, int height,
         const DetectionOptions& options)
      : tiles_(tiles),
        picture_{0, 0, 1.0 * width, 1.0 * height},
        options_(options),
        neighbours_(neighbours_of(tiles)),
        kept_in_(tiles.size()) {}

  void add(const Member& member) {
    const std::set<std::size_t> known = objects_of(member);
    const std::size_t number = known.empty() ? objects_.size() : *known.begin();
    if (known.empty()) objects_.push_back({member.found, is_cut(member)});
    for (const std::size_t other : known) {
      if (other != number) join(number, other, member);
    }
    if (!known.empty() && objects_[number].cut)
      grow(objects_[number], extent_of(member.found), is_cut(member), near_edge(member));
    kept_in_[member.tile].push_back({number, member.found});
    objects_[number].tiles.insert(member.tile);
  }

  // After the tiles.
  void add_whole(Detection found) {
    const auto is_same = [&](const Object& object) {
      return !object.joined && of_one_class(object.found, found) && is_object_in(object, found);
    };
    if (const auto known = std::ranges::find_if(
            objects_, [&](const Object& object) { return !object.cut && is_same(object); });
        known != objects_.end()) {
      known->found.score = std::max(known->found.score, found.score);
      return;
    }
    for (Object& part : objects_) {
      if (!is_same(part)) continue;
      found.score = std::max(found.score, part.found.score);
      part.joined = true;
    }
    objects_.push_back({found});
  }

  std::vector<Detection> found() const {
    std::vector<Detection> all;
    for (const Object& object : objects_)
      if (!object.joined) all.push_back(object.found);
    std::ranges::stable_sort(all, std::greater(), &Detection::score);
    return all;
  }

 private:
  struct Object {
    Detection found{};                 // score and class of the best one
    bool cut = false, joined = false;  // joined: it is a part of a better one
    std::set<std::size_t> tiles{};     // that show it
  };
  // A detection of a tile that is an object's.
  struct Kept {
    std::size_t object;
    Detection found;
  };

  double near_edge(const Member& member) const {
    const TilePlace& place = tiles_[member.tile].place;
    return kNearEdge * std::max(place.width, place.height);
  }

  bool is_cut(const Member& member) const {
    const Extent box = extent_of(member.found), tile = extent_of(tiles_[member.tile].place);
    const double near = near_edge(member);
    return (tile.x1 > picture_.x1 && box.x1 < tile.x1 + near) ||
           (tile.y1 > picture_.y1 && box.y1 < tile.y1 + near) ||
           (tile.x2 < picture_.x2 && box.x2 > tile.x2 - near) ||
           (tile.y2 < picture_.y2 && box.y2 > tile.y2 - near);
  }

  bool of_one_class(const Detection& a, const Detection& b) const {
    return options_.suppression == "agnostic" || a.class_id == b.class_id;
  }

  // A cut one may be a part of what was found in the whole picture.
  bool is_object_in(const Object& object, const Detection& whole) const {
    const Extent box = extent_of(object.found), around = extent_of(whole);
    const double same = object.cut ? intersection(box, around).area() / std::max(box.area(), 1e-9)
                                   : iou(box, around);
    return same > static_cast<double>(options_.iou);
  }

  bool is_same(const Member& member, const Kept& kept, std::size_t tile) const {
    if (!of_one_class(kept.found, member.found)) return false;
    const Extent both =
        intersection(extent_of(tiles_[member.tile].place), extent_of(tiles_[tile].place));
    return iou(intersection(extent_of(member.found), both),
               intersection(extent_of(kept.found), both)) > static_cast<double>(options_.iou);
  }

  // Those that it is, best first, but those that its own tile has shown already.
  std::set<std::size_t> objects_of(const Member& member) const {
    std::set<std::size_t> same;
    for (const std::size_t tile : neighbours_[member.tile]) {
      for (const Kept& kept : kept_in_[tile])
        if (is_same(member, kept, tile) && !objects_[kept.object].tiles.contains(member.tile))
          same.insert(kept.object);
    }
    return same;
  }

  // Two of which a tile between them shows that they are one; one tile that shows both knows
  // better.
  void join(std::size_t better, std::size_t other, const Member& member) {
    const double near = near_edge(member);
    Object &object = objects_[better], &part = objects_[other];
    if (std::ranges::any_of(part.tiles,
                            [&](std::size_t tile) { return object.tiles.contains(tile); }))
      return;
    const Extent own = extent_of(object.found), box = extent_of(part.found),
                 both = extent_of(member.found);
    if (object.cut) {
      grow(object, box, part.cut, near);
    } else if (!holds(own, box, near)) {
      // Fragments, one with an edge that the network has put off the tile's, if the tile between
      // them shows both.
      if (!holds(both, own, near) || !holds(both, box, near)) return;
      object.cut = is_cut(member);
      put(both, object.found);
    }
    part.joined = true;
    for (const std::size_t tile : part.tiles)
      for (Kept& kept : kept_in_[tile])
        if (kept.object == other) kept.object = better;
    object.tiles.merge(part.tiles);
  }

  static bool holds(const Extent& box, const Extent& other, double near) {
    return box.x1 < other.x1 + near && box.y1 < other.y1 + near && box.x2 > other.x2 - near &&
           box.y2 > other.y2 - near;
  }

  // A whole box stands in for a cut one, if it holds that; else it is a fragment whose edge the
  // network has put off the tile's.
  static void grow(Object& object, const Extent& box, bool box_is_cut, double near) {
    const Extent own = extent_of(object.found);
    object.cut = box_is_cut || !holds(box, own, near);
    put(object.cut ? around(own, box) : box, object.found);
  }

  std::span<const TileDetections> tiles_;
  Extent picture_;
  const DetectionOptions& options_;
  std::vector<std::vector<std::size_t>> neighbours_;  // by tile: those that overlap it
  std::vector<Object> objects_;                       // best first
  std::vector<std::vector<Kept>> kept_in_;            // by tile
};

}  // namespace

DetectionOptions before_merging(DetectionOptions options) {
  options.confidence = std::min(options.confidence, kCountedConfidence);
  for (float& score : options.class_confidence) score = std::min(score, kCountedConfidence);
  return options;
}

std::vector<Detection> merge_tiles(std::span<const TileDetections> tiles, int source_width,
                                   int source_height, const DetectionOptions& options,
                                   std::span<const Detection> whole) {
  std::vector<Member> members;
  for (std::size_t tile = 0; tile < tiles.size(); ++tile) {
    for (std::size_t i = 0; i < tiles[tile].found.size(); ++i)
      members.push_back({tile, i, tiles[tile].found[i]});
  }
  std::ranges::sort(members, {}, [](const Member& member) {
    return std::tuple(-member.found.score, member.tile, member.number);
  });
  Merger merger(tiles, source_width, source_height, options);
  for (const Member& member : members) merger.add(member);
  const auto counts = [&options](const Detection& one) {
    const auto of_class = static_cast<std::size_t>(one.class_id);
    return one.score > (options.class_confidence.empty() ? options.confidence
                                                         : options.class_confidence.at(of_class));
  };
  for (const Detection& one : whole)
    if (counts(one)) merger.add_whole(one);
  std::vector<Detection> found = merger.found();
  std::erase_if(found, std::not_fn(counts));
  return found;
}

}  // namespace letterpress
