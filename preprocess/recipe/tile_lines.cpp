#include "preprocess/recipe/tile_lines.h"

#include <algorithm>

namespace letterpress {

bool TileLines::open(const PictureBytes& bytes, const PictureInfo& info, double min_scale,
                     const std::string& where) {
  opened_ = open_bands(bytes, info, min_scale, where);
  return opened_.picture != nullptr;
}

void TileLines::draw_whole(WholeFrame& frame, const ViewRequest& request) {
  whole_ = &frame;
  frame.begin(opened_.picture->picture(), request.source_width, request.source_height, request.side,
              request.recipe.letterbox());
}

std::optional<Reject> TileLines::render(const ViewRequest& request, RenderWorkspace& workspace,
                                        ShardRow& row, std::span<std::uint8_t> image) {
  const Picture& picture = opened_.picture->picture();
  const ViewRequest of_lines{request.recipe,       request.key,           picture,
                             request.source_width, request.source_height, request.boxes,
                             request.side,         request.tile};
  place_view(of_lines, row);
  const StoredView view{request.recipe, row, picture, request.side};
  LineRange lines = lines_of(view);
  if (whole_) lines.first = std::min(lines.first, whole_->first_needed());
  if (auto reject = opened_.picture->keep(lines.first, lines.end)) return reject;
  if (whole_) whole_->draw(picture);
  render_stored(view, workspace, image);
  return std::nullopt;
}

std::optional<Reject> TileLines::finish() { return opened_.picture->finish(); }

}  // namespace letterpress
