#include "preprocess/report/samples.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "letterpress/page/html.h"
#include "letterpress/page/picture.h"
#include "letterpress/shards/tiles.h"

namespace letterpress {
namespace {

std::string row_picture(const SnapshotReader& reader, const RowPlace& place) {
  const ShardReader& shard = reader.shard(place.shard);
  const int side = shard.spec().side;
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(shard.image_bytes()));
  shard.read_images(place.row, 1, rgb.data());
  shard.verify_row(place.row, rgb);
  std::vector<PageBox> boxes;
  for (const LabelBox& box : shard.label_boxes(place.row)) {
    const std::string& class_name =
        reader.snapshot().classes.at(static_cast<std::size_t>(box.class_id));
    boxes.push_back({{box.x1, box.y1, box.x2, box.y2}, box.class_id, class_name});
  }
  const std::size_t n = boxes.size();
  const std::int32_t label = shard.label(place.row), view = shard.view(place.row);
  const std::string kind = view == 0 ? "clean" : "view " + std::to_string(view);
  const std::string what = label >= 0
                               ? reader.snapshot().classes.at(static_cast<std::size_t>(label))
                               : std::to_string(n) + (n == 1 ? " box" : " boxes");
  return "<figure>" + picture_svg(rgb, side, boxes) + "<figcaption>" +
         escaped(std::filesystem::path(shard.name(place.row)).filename().string()) +
         tile_text(shard, place.row) + "<small>" + kind + ", " + escaped(what) +
         "</small></figcaption></figure>\n";
}

}  // namespace

std::string sample_pictures(const SnapshotReader& reader, const std::string& split, std::size_t n) {
  const std::vector<PictureRows> all = reader.pictures(split);
  const std::size_t shown = std::min(n, all.size());
  std::string html = "<div class=\"samples\">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const PictureRows& picture = all[i * all.size() / shown];
    html += row_picture(reader, picture.clean);
    if (!picture.augmented.empty())
      html += row_picture(reader, picture.augmented[i % picture.augmented.size()]);
  }
  return html + "</div>\n";
}

}  // namespace letterpress
