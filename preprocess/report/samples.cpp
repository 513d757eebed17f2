#include "preprocess/report/samples.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "preprocess/pictures/picture.h"
#include "preprocess/report/html.h"

namespace letterpress {
namespace {

constexpr int kMostPixels = 320;  // per side of an embedded picture: a page of a dozen stays at a few MiB

// Mean of factor x factor pixels. rgb: uint8 [side, side, 3].
std::vector<std::uint8_t> shrunk(const std::vector<std::uint8_t>& rgb, int side, int factor) {
  const int small = side / factor;
  std::vector<std::uint8_t> result(static_cast<std::size_t>(small) * static_cast<std::size_t>(small) * 3);
  for (int y = 0; y < small; ++y) {
    for (int at = 0; at < small * 3; ++at) {
      int sum = 0;
      for (int k = 0; k < factor * factor; ++k) {
        const int row = y * factor + k / factor, column = (at / 3 * factor + k % factor) * 3 + at % 3;
        sum += rgb[static_cast<std::size_t>(row * side * 3 + column)];
      }
      result[static_cast<std::size_t>(y * small * 3 + at)] = static_cast<std::uint8_t>((sum + factor * factor / 2) / (factor * factor));
    }
  }
  return result;
}

std::string embedded(const ShardReader& shard, std::int64_t row) {
  const int side = shard.spec().side;
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(shard.image_bytes()));
  shard.read_images(row, 1, rgb.data());
  shard.verify_row(row, rgb);
  int factor = 1;
  while (side / factor > kMostPixels && side % (2 * factor) == 0) factor *= 2;
  const int small = side / factor;
  return png_uri(encode_png(factor == 1 ? rgb : shrunk(rgb, side, factor), small, small));
}

std::string box_overlay(const float* box, const std::string& name, int side) {
  const std::string style = "b" + std::to_string(static_cast<int>(box[4]) % 6);
  std::string svg = "<rect x=\"" + fixed(box[0], 1) + "\" y=\"" + fixed(box[1], 1) + "\" width=\"" + fixed(box[2] - box[0], 1) +
                    "\" height=\"" + fixed(box[3] - box[1], 1) + "\" class=\"box " + style + "\"><title>" + escaped(name) + " " +
                    fixed(box[2] - box[0], 0) + " × " + fixed(box[3] - box[1], 0) + "</title></rect>";
  const double letters = side / 26.0, y = box[1] >= letters ? box[1] - letters / 5 : box[1] + letters;
  return svg + "<text x=\"" + fixed(box[0], 1) + "\" y=\"" + fixed(y, 1) + "\" class=\"" + style + "\" font-size=\"" + fixed(letters, 1) +
         "\">" + escaped(name) + "</text>\n";
}

std::string row_figure(const SnapshotReader& reader, const RowPlace& place) {
  const ShardReader& shard = reader.shard(place.shard);
  const int side = shard.spec().side;
  const std::string size = std::to_string(side);
  std::string svg = "<figure><svg viewBox=\"0 0 " + size + " " + size + "\"><image width=\"" + size + "\" height=\"" + size + "\" href=\"" +
                    embedded(shard, place.row) + "\"/>\n";
  const auto n = static_cast<std::size_t>(shard.box_count(place.row));
  for (std::size_t i = 0; i < n; ++i) {
    const float* const box = shard.boxes(place.row).data() + 5 * i;
    svg += box_overlay(box, reader.snapshot().classes.at(static_cast<std::size_t>(box[4])), side);
  }
  const std::int32_t label = shard.label(place.row), view = shard.view(place.row);
  const std::string kind = view == 0 ? "clean" : "view " + std::to_string(view);
  const std::string what =
      label >= 0 ? reader.snapshot().classes.at(static_cast<std::size_t>(label)) : std::to_string(n) + (n == 1 ? " box" : " boxes");
  return svg + "</svg><figcaption>" + escaped(std::filesystem::path(shard.name(place.row)).filename().string()) + "<small>" + kind + ", " +
         escaped(what) + "</small></figcaption></figure>\n";
}

}  // namespace

std::string sample_figures(const SnapshotReader& reader, const std::string& split, std::size_t n) {
  const std::vector<PictureRows> all = reader.pictures(split);
  const std::size_t shown = std::min(n, all.size());
  std::string html = "<div class=\"samples\">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const PictureRows& picture = all[i * all.size() / shown];
    html += row_figure(reader, picture.clean);
    if (!picture.augmented.empty()) html += row_figure(reader, picture.augmented[i % picture.augmented.size()]);
  }
  return html + "</div>\n";
}

}  // namespace letterpress
