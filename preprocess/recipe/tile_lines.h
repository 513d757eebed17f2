#pragma once
#include <optional>
#include <string>

#include "letterpress/base/reject.h"
#include "preprocess/pictures/bands/banded_picture.h"
#include "preprocess/recipe/recipe.h"

namespace letterpress {

/// A large picture whose tiles are drawn one after the other, by their numbers. It is decoded in
/// bands where that is possible, else whole.
class TileLines {
 public:
  /// min_scale: needed_scale() of view 0; whole: the caller's, where it is decoded if it has to be.
  /// Throws as decode() and open_bands().
  std::optional<Reject> open(const PictureBytes& bytes, const PictureInfo& info, double min_scale,
                             const std::string& where, Picture& whole);
  /// Renders view 0 of a tile behind the last: render_view()'s row and image. The request's picture
  /// is not looked at.
  std::optional<Reject> render(const ViewRequest& request, RenderWorkspace& workspace,
                               ShardRow& row, std::span<std::uint8_t> image);
  /// After the last tile.
  std::optional<Reject> finish();
  bool in_bands() const noexcept { return opened_.picture != nullptr; }

 private:
  OpenedBands opened_;
  const Picture* whole_ = nullptr;
};

}  // namespace letterpress
