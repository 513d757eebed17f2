#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// Pictures of 150 x 100 for tiles of 64 that overlap by 16: 3 x 2 tiles each, at x 0, 43, 86 and
/// y 0, 36.
struct TiledSet : DrawnSet {
  static constexpr int kWidth = 150, kHeight = 100, kTiles = 6;

  void picture(const std::string& name, int seed) const {
    folder.write(name, drawn_png(seed, kWidth, kHeight));
  }
  void pictures(int n) {
    std::string lines;
    for (int i = 0; i < n; ++i) {
      picture("p" + std::to_string(i) + ".png", i);
      lines += line(i);
    }
    list("train.txt", lines);
  }
  BuildOptions options(const std::string& store = "store") const {
    BuildOptions options = DrawnSet::options(store);
    options.side = BuildOptions{}.side;
    options.tile = 64;
    options.tiles.overlap = 0.25;
    options.shard_bytes = 8 * 64 * 64 * 3;
    return options;
  }
};

/// A clean row of the newest snapshot.
struct CleanTile {
  std::vector<std::uint8_t> image;
  std::vector<LabelBox> boxes;
  std::vector<float> whole_boxes;
  Affine letterbox;
};
inline std::vector<CleanTile> clean_tiles(const std::filesystem::path& folder,
                                          const std::string& split = "train") {
  const Store store = Store::open(folder);
  const SnapshotReader reader(store, store.latest().value());
  std::vector<CleanTile> tiles;
  for (const PictureRows& picture : reader.pictures(split)) {
    const ShardReader& shard = reader.shard(picture.clean.shard);
    CleanTile& tile = tiles.emplace_back();
    tile.image.resize(static_cast<std::size_t>(shard.image_bytes()));
    shard.read_images(picture.clean.row, 1, tile.image.data());
    tile.boxes = shard.label_boxes(picture.clean.row);
    const std::span<const float> whole = shard.whole_boxes(picture.clean.row);
    tile.whole_boxes.assign(whole.begin(), whole.end());
    tile.letterbox = shard.letterbox(picture.clean.row);
  }
  return tiles;
}

/// uint8 [side, side, 3] <- a part of a picture of `width` pixels.
inline std::vector<std::uint8_t> cropped(std::span<const std::uint8_t> rgb, int width, int x, int y,
                                         int side) {
  std::vector<std::uint8_t> part;
  for (int line = y; line < y + side; ++line) {
    const auto first = rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(line) * width + x);
    part.insert(part.end(), first, first + 3 * side);
  }
  return part;
}

}  // namespace letterpress
