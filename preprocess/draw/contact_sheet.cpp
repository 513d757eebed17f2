#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "preprocess/draw/canvas.h"
#include "preprocess/draw/draw.h"

namespace letterpress {
namespace {

constexpr int kGap = 6, kCaptionHeight = 18;
constexpr double kCaptionScale = 0.4;

cv::Mat view_of(const Tile& tile) {
  if (tile.width < 1 || tile.height < 1 ||
      tile.rgb.size() !=
          static_cast<std::size_t>(tile.width) * static_cast<std::size_t>(tile.height) * 3)
    throw std::logic_error("contact_sheet: tile '" + tile.caption + "' is not " +
                           std::to_string(tile.width) + " x " + std::to_string(tile.height) +
                           " x 3");
  return {tile.height, tile.width, CV_8UC3, const_cast<std::uint8_t*>(tile.rgb.data())};
}

// From a picture of one size to that of another.
std::vector<DrawnBox> scaled_boxes(std::vector<DrawnBox> boxes, const cv::Size& from,
                                   const cv::Size& to) {
  const float across = static_cast<float>(to.width) / static_cast<float>(from.width),
              down = static_cast<float>(to.height) / static_cast<float>(from.height);
  for (DrawnBox& box : boxes) {
    box.x1 *= across;
    box.x2 *= across;
    box.y1 *= down;
    box.y2 *= down;
  }
  return boxes;
}

void draw_caption(const Tile& tile, const cv::Rect& cell, cv::Mat& canvas) {
  const cv::Scalar colour{230, 230, 230};
  const cv::Point baseline{cell.x, cell.y + cell.height + kCaptionHeight - 6};
  const Line all(tile.caption + tile.caption_end + tile.caption_more, kCaptionScale);
  if (all.width() <= cell.width) return all.draw(canvas, baseline, colour);
  const Line end = fitting_line(tile.caption_end, cell.width, kCaptionScale);
  const Line begin = fitting_line(tile.caption, cell.width - end.width(), kCaptionScale);
  begin.draw(canvas, baseline, colour);
  end.draw(canvas, {baseline.x + begin.width(), baseline.y}, colour);
}

void draw_tile(const Tile& tile, const cv::Rect& cell, cv::Mat& canvas) {
  const cv::Mat picture = view_of(tile);
  const double scale = std::min(static_cast<double>(cell.width) / tile.width,
                                static_cast<double>(cell.height) / tile.height);
  const cv::Size size(std::max(1, cvRound(tile.width * scale)),
                      std::max(1, cvRound(tile.height * scale)));
  const cv::Rect fitted(cell.x + (cell.width - size.width) / 2,
                        cell.y + (cell.height - size.height) / 2, size.width, size.height);
  cv::Mat scaled;
  cv::resize(picture, scaled, size, 0, 0, scale < 1 ? cv::INTER_AREA : cv::INTER_NEAREST);
  draw_boxes({scaled.data, scaled.total() * 3}, size.width, size.height,
             scaled_boxes(tile.boxes, picture.size(), size));
  scaled.copyTo(canvas(fitted));
  draw_caption(tile, cell, canvas);
}

}  // namespace

Sheet contact_sheet(std::span<const Tile> tiles, int columns, int tile_side) {
  if (tiles.empty() || columns < 1 || tile_side < 32)
    throw std::logic_error("contact_sheet: needs tiles, columns >= 1 and tile_side >= 32");
  const int n = static_cast<int>(tiles.size());
  columns = std::min(columns, n);
  const int rows = (n + columns - 1) / columns, step_x = tile_side + kGap,
            step_y = tile_side + kCaptionHeight + kGap;
  Sheet sheet;
  sheet.width = columns * step_x + kGap;
  sheet.height = rows * step_y + kGap;
  sheet.rgb.assign(
      static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(sheet.height) * 3, 32);
  cv::Mat canvas(sheet.height, sheet.width, CV_8UC3, sheet.rgb.data());
  for (int i = 0; i < n; ++i) {
    const cv::Rect cell(kGap + i % columns * step_x, kGap + i / columns * step_y, tile_side,
                        tile_side);
    draw_tile(tiles[static_cast<std::size_t>(i)], cell, canvas);
  }
  return sheet;
}

}  // namespace letterpress
