#pragma once
#include <span>
#include <vector>

#include "letterpress/shards/letterbox.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// Detections in pixels of the letterboxed frame -> pixels of the source picture, clipped to it,
/// order kept. Detections that are entirely outside the picture (in the letterbox's margin) are
/// dropped.
///   source_to_frame         as in /letterbox of the shard and Letterbox::source_to_frame
///   source_width, _height   pixels, after EXIF orientation
/// Throws Error when source_to_frame is singular.
std::vector<Detection> map_to_source(std::span<const Detection> detections,
                                     const Affine& source_to_frame, int source_width,
                                     int source_height);

}  // namespace letterpress
