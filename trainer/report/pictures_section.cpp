#include <algorithm>
#include <filesystem>
#include <numeric>

#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "letterpress/page/picture.h"
#include "trainer/report/sections.h"

namespace letterpress {
namespace {

// What pictures are ordered by: one is not worse because it has many labels.
double loss_per_label(const PictureLoss& picture) {
  return picture.loss / std::max(1, picture.labels);
}

/// One validation picture on the page.
class Shown {
 public:
  Shown(const OpenedRun& run, const Validation& validation, std::size_t picture)
      : run_(run),
        validation_(validation),
        picture_(picture),
        shard_(run.reader.shard(validation.losses[picture].place.shard)),
        row_(validation.losses[picture].place.row) {}

  std::string metric() const {
    std::vector<std::uint8_t> rgb(static_cast<std::size_t>(shard_.image_bytes()));
    shard_.read_images(row_, 1, rgb.data());
    shard_.verify_row(row_, rgb);
    const std::string name = std::filesystem::path(shard_.name(row_)).filename().string();
    return "<figure" + attribute("picture", shard_.name(row_)) + ">" +
           picture_svg(rgb, shard_.spec().side, boxes()) + "<figcaption>" + escaped(name) +
           "<small>loss per label " + fixed(loss_per_label(validation_.losses[picture_]), 3) +
           ", " + escaped(verdict()) + "</small></figcaption></figure>\n";
  }

 private:
  const std::string& class_name(std::int32_t id) const {
    return run_.checkpoint.info.classes.at(static_cast<std::size_t>(id));
  }

  std::vector<PageBox> boxes() const {
    std::vector<PageBox> boxes;
    for (const LabelBox& box : shard_.label_boxes(row_)) {
      boxes.push_back({{box.x1, box.y1, box.x2, box.y2}, box.class_id, class_name(box.class_id)});
    }
    if (validation_.results.empty()) return boxes;
    for (const Found& found : validation_.results[picture_].found) {
      if (found.score >= validation_.confidence) boxes.push_back(framed(found));
    }
    return boxes;
  }

  // Results are in pixels of the source picture, the row's are in the frame.
  PageBox framed(const Found& found) const {
    const Affine map = shard_.letterbox(row_);
    const auto [x1, y1] = apply(map, found.box.x, found.box.y);
    const auto [x2, y2] = apply(map, found.box.x + found.box.width, found.box.y + found.box.height);
    return {{static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2),
             static_cast<float>(y2)},
            found.class_id,
            class_name(found.class_id) + " " + fixed(found.score, 2),
            true};
  }

  // Of a tile the labels are as cut as it shows them.
  PictureResult in_frame() const {
    std::vector<Detection> found;
    for (const Found& one : validation_.results[picture_].found) {
      const auto [x1, y1, x2, y2] = framed(one).corners;
      found.push_back({x1, y1, x2, y2, static_cast<float>(one.score), one.class_id});
    }
    return picture_result(shard_.label_boxes(row_), found);
  }

  std::string verdict() const {
    if (validation_.results.empty()) {
      const std::int32_t label = shard_.label(row_);
      const std::string& found = class_name(validation_.classes[picture_]);
      return label < 0 ? "no label, found " + found
                       : "labelled " + class_name(label) + ", found " + found;
    }
    const auto judged = judge({in_frame()}, static_cast<int>(run_.checkpoint.info.classes.size()));
    Tally all;
    for (const Tally& tally : at_confidence(judged, validation_.confidence).classes) {
      all.ground_truths += tally.ground_truths;
      all.right += tally.right;
      all.wrong += tally.wrong;
    }
    return std::to_string(all.right) + " of " + std::to_string(all.ground_truths) + " found, " +
           std::to_string(all.wrong) + " wrong";
  }

  const OpenedRun& run_;
  const Validation& validation_;
  std::size_t picture_;
  const ShardReader& shard_;
  std::int64_t row_;
};

std::string metrics_of(const OpenedRun& run, const Validation& validation,
                       const std::vector<std::size_t>& pictures, std::size_t n) {
  std::string html = "<div class=\"samples\">\n";
  for (std::size_t i = 0; i < std::min(n, pictures.size()); ++i)
    html += Shown(run, validation, pictures[i]).metric();
  return html + "</div>\n";
}

}  // namespace

std::string pictures_section(const OpenedRun& run, const Validation& validation, std::size_t n) {
  if (n == 0) return "";
  std::vector<std::size_t> order(validation.losses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) { return loss_per_label(validation.losses[i]); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  const std::string boxes = "Solid boxes: labelled; dashed: found, with confidence " +
                            fixed(validation.confidence, 3) + " or more. ";
  std::string html = "<p class=\"soft\">Ordered by loss per label. " +
                     (validation.results.empty() ? "" : boxes) + "</p>\n<h3>Worst</h3>\n" +
                     metrics_of(run, validation, order, n);
  std::reverse(order.begin(), order.end());
  return section("Pictures", html + "<h3>Best</h3>\n" + metrics_of(run, validation, order, n));
}

}  // namespace letterpress
