#include "trainer/report/shown_picture.h"

#include <algorithm>
#include <array>

#include "letterpress/page/picture.h"
#include "letterpress/shards/tiles.h"

namespace letterpress {
namespace {

constexpr int kMostSide = 640;  // of a picture that is put together

std::vector<std::uint8_t> clean_row(const ShardReader& shard, std::int64_t row) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(shard.image_bytes()));
  shard.read_images(row, 1, rgb.data());
  shard.verify_row(row, rgb);
  return rgb;
}

/// Sums of the tiles' pixels that fall on each pixel of the shown picture.
class Canvas {
 public:
  /// tile_scale: frame pixels per source pixel. Below 1 tiles lie at any fraction of a pixel: there
  /// the canvas has larger ones, so that each gets one of a tile's.
  Canvas(int width, int height, double tile_scale)
      : width_(width),
        height_(height),
        scale_(std::min(tile_scale < 1 ? 0.99 * tile_scale : 1,
                        static_cast<double>(kMostSide) / std::max(width, height))),
        side_(std::max(1, static_cast<int>(std::max(width, height) * scale_ + 1e-6))),
        sums_(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_)) {}

  void add(const ShardReader& shard, std::int64_t row) {
    const std::vector<std::uint8_t> rgb = clean_row(shard, row);
    const Affine to_source = inverse(shard.letterbox(row));
    const std::uint8_t* pixel = rgb.data();
    for (int y = 0; y < shard.spec().side; ++y) {
      for (int x = 0; x < shard.spec().side; ++x, pixel += 3) {
        const auto [at_x, at_y] = apply(to_source, x + 0.5, y + 0.5);
        if (at_x < 0 || at_y < 0 || at_x >= width_ || at_y >= height_) continue;  // padding
        Sum& sum = sums_[place(at_y) * static_cast<std::size_t>(side_) + place(at_x)];
        for (std::size_t channel = 0; channel < 3; ++channel) sum.levels[channel] += pixel[channel];
        ++sum.n;
      }
    }
  }

  ShownPicture mean(int grey) const {
    ShownPicture shown{
        .side = side_, .source_to_shown = {{scale_, 0, 0, 0, scale_, 0}}, .most = kMostSide};
    for (const Sum& sum : sums_)
      for (const std::uint32_t level : sum.levels)
        shown.rgb.push_back(static_cast<std::uint8_t>(sum.n == 0 ? static_cast<std::uint32_t>(grey)
                                                                 : (level + sum.n / 2) / sum.n));
    return shown;
  }

 private:
  struct Sum {
    std::array<std::uint32_t, 3> levels{};
    std::uint32_t n = 0;
  };
  std::size_t place(double source) const {
    return static_cast<std::size_t>(std::min(static_cast<int>(source * scale_), side_ - 1));
  }

  int width_, height_;
  double scale_;
  int side_;
  std::vector<Sum> sums_;
};

}  // namespace

ShownPicture shown_picture(const SnapshotReader& reader, const std::vector<PictureRows>& rows) {
  const RowPlace& first = rows.front().clean;
  const ShardReader& shard = reader.shard(first.shard);
  const auto rule = tile_rule_of_recipe(reader.snapshot().identity.recipe_json);
  if (!rule)
    return {.side = shard.spec().side,
            .rgb = clean_row(shard, first.row),
            .source_to_shown = shard.letterbox(first.row),
            .most = kMostPixels};
  const auto [width, height] = shard.source_size(first.row);
  Canvas canvas(width, height, rule->scale);
  for (const PictureRows& tile : rows) canvas.add(reader.shard(tile.clean.shard), tile.clean.row);
  return canvas.mean(shard.spec().fill);
}

}  // namespace letterpress
