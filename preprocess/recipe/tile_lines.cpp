#include "preprocess/recipe/tile_lines.h"

namespace letterpress {

bool TileLines::open(const PictureBytes& bytes, const PictureInfo& info, double min_scale,
                     const std::string& where) {
  opened_ = open_bands(bytes, info, min_scale, where);
  return opened_.picture != nullptr;
}

std::optional<Reject> TileLines::render(const ViewRequest& request, RenderWorkspace& workspace,
                                        ShardRow& row, std::span<std::uint8_t> image) {
  const Picture& picture = opened_.picture->picture();
  const ViewRequest of_lines{request.recipe,       request.key,           picture,
                             request.source_width, request.source_height, request.boxes,
                             request.side,         request.tile};
  place_view(of_lines, row);
  const StoredView view{request.recipe, row, picture, request.side};
  const LineRange lines = lines_of(view);
  if (auto reject = opened_.picture->keep(lines.first, lines.end)) return reject;
  render_stored(view, workspace, image);
  return std::nullopt;
}

std::optional<Reject> TileLines::finish() { return opened_.picture->finish(); }

}  // namespace letterpress
