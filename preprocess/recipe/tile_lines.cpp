#include "preprocess/recipe/tile_lines.h"

namespace letterpress {

std::optional<Reject> TileLines::open(const PictureBytes& bytes, const PictureInfo& info,
                                      double min_scale, const std::string& where, Picture& whole) {
  whole_ = &whole;
  opened_ = open_bands(bytes, info, min_scale, where);
  return in_bands() ? std::nullopt : decode(bytes.all(), info, min_scale, where, whole);
}

std::optional<Reject> TileLines::render(const ViewRequest& request, RenderWorkspace& workspace,
                                        ShardRow& row, std::span<std::uint8_t> image) {
  const Picture& picture = in_bands() ? opened_.picture->picture() : *whole_;
  const ViewRequest of_lines{request.recipe,       request.key,           picture,
                             request.source_width, request.source_height, request.boxes,
                             request.side,         request.tile};
  place_view(of_lines, row);
  const StoredView view{request.recipe, row, picture, request.side};
  if (in_bands()) {
    const LineRange lines = lines_of(view);
    if (auto reject = opened_.picture->keep(lines.first, lines.end)) return reject;
  }
  render_stored(view, workspace, image);
  return std::nullopt;
}

std::optional<Reject> TileLines::finish() {
  return in_bands() ? opened_.picture->finish() : std::nullopt;
}

}  // namespace letterpress
