#include "trainer/detection/merge_tiles.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

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

class Merger {
 public:
  Merger(std::span<const TileDetections> tiles, int width, int height,
         const DetectionOptions& options)
      : tiles_(tiles),
        picture_{0, 0, 1.0 * width, 1.0 * height},
        options_(options),
        kept_in_(tiles.size()) {
    for (std::size_t a = 0; a < tiles.size(); ++a) {
      std::vector<std::size_t>& near = neighbours_.emplace_back();
      for (std::size_t b = 0; b < tiles.size(); ++b)
        if (a != b && intersection(extent_of(tiles[a].place), extent_of(tiles[b].place)).area() > 0)
          near.push_back(b);
    }
  }

  void add(const Member& member) {
    const std::set<std::size_t> known = objects_of(member);
    const std::size_t number = known.empty() ? objects_.size() : *known.begin();
    if (known.empty()) objects_.push_back({member.found, is_cut(member)});
    for (const std::size_t other : known) {
      if (other != number) join(number, other);
    }
    if (!known.empty() && objects_[number].cut) grow(objects_[number], member);
    kept_in_[member.tile].push_back({number, member.found});
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

  bool shows(std::size_t tile, std::size_t object) const {
    return std::ranges::find(kept_in_[tile], object, &Kept::object) != kept_in_[tile].end();
  }

  // Those that it is, best first, but those that its own tile has shown already.
  std::set<std::size_t> objects_of(const Member& member) const {
    std::set<std::size_t> same;
    for (const std::size_t tile : neighbours_[member.tile]) {
      for (const Kept& kept : kept_in_[tile])
        if (is_same(member, kept, tile) && !shows(member.tile, kept.object))
          same.insert(kept.object);
    }
    return same;
  }

  // Two that are cut, of which a tile between them shows that they are one.
  void join(std::size_t better, std::size_t other) {
    Object &object = objects_[better], &part = objects_[other];
    if (!object.cut || !part.cut) return;
    for (std::size_t tile = 0; tile < kept_in_.size(); ++tile)
      if (shows(tile, better) && shows(tile, other)) return;
    put(around(extent_of(object.found), extent_of(part.found)), object.found);
    part.joined = true;
    for (std::vector<Kept>& of_tile : kept_in_)
      for (Kept& kept : of_tile)
        if (kept.object == other) kept.object = better;
  }

  // A whole box stands in for a cut one, if it holds that; else it is a fragment whose edge the
  // network has put off the tile's.
  void grow(Object& object, const Member& member) const {
    const Extent own = extent_of(object.found), other = extent_of(member.found);
    const double near = near_edge(member);
    const bool holds = other.x1 < own.x1 + near && other.y1 < own.y1 + near &&
                       other.x2 > own.x2 - near && other.y2 > own.y2 - near;
    object.cut = is_cut(member) || !holds;
    put(object.cut ? around(own, other) : other, object.found);
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
