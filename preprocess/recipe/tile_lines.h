#pragma once
#include <optional>
#include <string>

#include "letterpress/base/reject.h"
#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/whole_frame.h"

namespace letterpress {

/// A large picture whose tiles are drawn one after the other, by their numbers, while it is decoded
/// in bands.
class TileLines {
 public:
  /// min_scale: needed_scale() of view 0. False: it has to be decoded whole, and the others are not
  /// called. Throws as open_bands().
  bool open(const PictureBytes& bytes, const PictureInfo& info, double min_scale,
            const std::string& where);
  /// Draws the whole picture too, meanwhile; `frame` outlives the last tile.
  void draw_whole(WholeFrame& frame, const ViewRequest& request);
  /// Renders view 0 of a tile behind the last: render_view()'s row and image. The request's picture
  /// is not looked at.
  std::optional<Reject> render(const ViewRequest& request, RenderWorkspace& workspace,
                               ShardRow& row, std::span<std::uint8_t> image);
  /// After the last tile.
  std::optional<Reject> finish();

 private:
  OpenedBands opened_;
  WholeFrame* whole_ = nullptr;
};

}  // namespace letterpress
