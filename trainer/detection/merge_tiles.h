#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "letterpress/shards/tiles.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// What was found in one tile, in pixels of the source picture.
struct TileDetections {
  TilePlace place{};
  std::vector<Detection> found{};
};

/// For suppress() on a tile: as `options`, but with all scores down to those that eval counts. A
/// weak box may be the whole one of an object that a strong one shows cut, so that what is merged
/// must not depend on the confidence that is asked for.
DetectionOptions before_merging(DetectionOptions options);

/// Detections of a picture's tiles -> of the picture, best first, with a score over the confidence
/// of their class; of equal scores those of the
/// earlier tile. Greedy, best first: a detection is one that was kept already if both, cut to what
/// both tiles show, overlap by more than options.iou and are of one class (of any class with
/// suppression "agnostic"). Of one object that two tiles found whole the better box stays; a whole
/// one stands in for one that a tile's edge cuts; boxes that are cut in every tile are joined. Two
/// that only a tile between them shows to be one object are one. The score is the best one's.
/// Detections of one tile are not compared: suppress() did that.
///   source_width, _height  of the picture, pixels: its own edges cut nothing
///   whole  found in the picture as a whole, over that confidence, in its pixels, of objects that
///   no tile need show whole.
///          Of one that a tile did find whole the tile's box stays. Another one is added, and takes
///          the boxes of its class that are cut in every tile and lie in it by more than
///          options.iou of their area: they are its parts.
std::vector<Detection> merge_tiles(std::span<const TileDetections> tiles, int source_width,
                                   int source_height, const DetectionOptions& options,
                                   std::span<const Detection> whole = {});

}  // namespace letterpress
