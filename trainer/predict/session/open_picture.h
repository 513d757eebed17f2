#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "letterpress/base/reject.h"
#include "preprocess/pictures/picture.h"
#include "trainer/detection/merge_tiles.h"
#include "trainer/predict/inputs.h"

namespace letterpress {

/// A picture from its decoding to its drawing.
struct OpenPicture {
  PictureInput input{};
  PictureInfo info{};
  Picture picture{};                    ///< whole, to be drawn on; empty when nothing is drawn
  std::int64_t kept_pixels = 0;         ///< that it has, once it is rendered
  std::vector<TileDetections> tiles{};  ///< of a whole picture one
  bool has_whole = false;               ///< a frame of the whole picture comes behind the tiles'
  std::vector<Detection> whole{};       ///< found in it
  std::optional<Reject> damage{};       ///< found behind its first tiles: what they hold is void
  std::atomic<bool> undone{false};      ///< the stop came before all of its frames were predicted

  /// Of the tiles, in their order, and behind them of the whole picture, if it has one.
  std::size_t frames() const { return tiles.size() + (has_whole ? 1 : 0); }
  std::vector<Detection>& found_in(std::size_t frame) {
    return frame < tiles.size() ? tiles[frame].found : whole;
  }
};

/// What became of an input: a picture whose frames are in batches, a reject, or neither: it has its
/// labels already.
struct Outcome {
  std::unique_ptr<OpenPicture> picture{};
  std::optional<Reject> reject{};
};

}  // namespace letterpress
