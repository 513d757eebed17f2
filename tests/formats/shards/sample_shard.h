#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/shards/shard.h"

namespace letterpress {

// The shard that the tests and check_sample.py agree on. 3 rows of side 32, M = 8, P = 2:
//   row 0  clean, "a b.jpg", 64x32 source, one box 4 2 20 10 of class 1 (crowd), COCO area 77
//   row 1  view 2 of the same picture, no box, parameters 0.25 -1.5
//   row 2  dead, "ü.png", status 1
// Pixel byte k of row r is (31 r + 7 k) mod 251.
inline constexpr int kSampleSide = 32;

inline ShardSpec sample_spec(Compression compression = Compression::none) {
  return {.side = kSampleSide,
          .max_boxes = 8,
          .names = {"a b.jpg", "a b.jpg", "\xC3\xBC.png"},
          .augment_names = {"hsv.hue", "affine.x"},
          .classes = {"cat", "dog"},
          .recipe_json = R"({"name":"none"})",
          .fill = 114,
          .producer = "letterpress test",
          .compression = compression};
}

inline std::vector<ShardRow> sample_rows() {
  const Affine map{{0.5, 0, 0, 0, 0.5, 8}};
  const Hash128 hash = hash128("the bytes of a b.jpg");
  ShardRow clean{.boxes = {{4, 2, 20, 10, 1, kCrowd, 77}},
                 .letterbox = map,
                 .source_width = 64,
                 .source_height = 32,
                 .source_hash = hash};
  ShardRow augmented{.letterbox = map,
                     .source_width = 64,
                     .source_height = 32,
                     .source_hash = hash,
                     .view = 2,
                     .augment = {0.25F, -1.5F}};
  ShardRow dead{
      .label = 3, .source_hash = hash128("not a picture"), .view = -1, .status = kRowUndecodable};
  return {clean, augmented, dead};
}

inline std::vector<std::uint8_t> sample_image(std::int64_t row) {
  std::vector<std::uint8_t> image(3 * kSampleSide * kSampleSide);
  for (std::size_t k = 0; k < image.size(); ++k)
    image[k] = static_cast<std::uint8_t>((31 * static_cast<std::size_t>(row) + 7 * k) % 251);
  return image;
}

/// Writes the sample into `folder`, with temporary files there too; returns the published file.
inline std::filesystem::path write_sample(const std::filesystem::path& folder,
                                          Compression compression = Compression::none) {
  ShardWriter writer(folder, sample_spec(compression));
  const std::vector<ShardRow> rows = sample_rows();
  for (std::int64_t row = 0; row < 3; ++row)
    writer.write_row(row, rows[static_cast<std::size_t>(row)], sample_image(row));
  return folder / (writer.finish(folder).hex() + ".h5");
}

}  // namespace letterpress
