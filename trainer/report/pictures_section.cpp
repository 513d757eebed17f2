#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>

#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "letterpress/page/picture.h"
#include "trainer/fit/evaluation/tile_results.h"
#include "trainer/report/sections.h"
#include "trainer/report/shown_picture.h"

namespace letterpress {
namespace {

/// One validation picture on the page.
class Shown {
 public:
  /// rows: positions of its row, or of its tiles', in the lists of `validation`. picture: its place
  /// in validation.results.
  Shown(const OpenedRun& run, const Validation& validation, std::vector<std::size_t> rows,
        std::size_t picture)
      : run_(run), validation_(validation), rows_(std::move(rows)), picture_(picture) {}

  /// What pictures are ordered by: one is not worse because it has many labels.
  double loss_per_label() const {
    double loss = 0;
    int labels = 0;
    for (const std::size_t row : rows_) {
      loss += validation_.losses[row].loss;
      labels += validation_.losses[row].labels;
    }
    return loss / std::max(1, labels);
  }

  std::string figure() const {
    std::vector<PictureRows> rows;
    for (const std::size_t row : rows_) rows.push_back(validation_.pictures[row]);
    const ShownPicture shown = shown_picture(run_.reader, rows);
    const std::string tiles =
        rows.size() > 1 ? ", " + std::to_string(rows.size()) + " tiles" : std::string();
    return "<figure" + attribute("picture", name()) + ">" +
           picture_svg(shown.rgb, shown.side, boxes(shown.source_to_shown), shown.most) +
           "<figcaption>" + escaped(std::filesystem::path(name()).filename().string()) +
           "<small>loss per label " + fixed(loss_per_label(), 3) + tiles + ", " +
           escaped(verdict()) + "</small></figcaption></figure>\n";
  }

 private:
  const ShardReader& shard() const {
    return run_.reader.shard(validation_.losses[rows_.front()].place.shard);
  }
  std::int64_t row() const { return validation_.losses[rows_.front()].place.row; }
  std::string name() const { return shard().name(row()); }
  const std::string& class_name(std::int32_t id) const {
    return run_.checkpoint.info.classes.at(static_cast<std::size_t>(id));
  }

  std::vector<PageBox> boxes(const Affine& source_to_shown) const {
    std::vector<PageBox> boxes;
    if (validation_.results.empty()) return boxes;
    const auto corners = [&](const CocoBox& box) {
      const auto [x1, y1] = apply(source_to_shown, box.x, box.y);
      const auto [x2, y2] = apply(source_to_shown, box.x + box.width, box.y + box.height);
      return std::array{static_cast<float>(x1), static_cast<float>(y1), static_cast<float>(x2),
                        static_cast<float>(y2)};
    };
    const PictureResult& result = validation_.results[picture_];
    for (const GroundTruth& one : result.ground_truths)
      boxes.push_back({corners(one.box), one.class_id, class_name(one.class_id)});
    for (const Found& one : result.found) {
      if (one.score < validation_.confidence) continue;
      boxes.push_back({corners(one.box), one.class_id,
                       class_name(one.class_id) + " " + fixed(one.score, 2), true});
    }
    return boxes;
  }

  std::string verdict() const {
    if (validation_.results.empty()) {
      const std::int32_t label = shard().label(row());
      const std::string& found = class_name(validation_.classes[rows_.front()]);
      return label < 0 ? "no label, found " + found
                       : "labelled " + class_name(label) + ", found " + found;
    }
    const auto judged = judge({validation_.results[picture_]},
                              static_cast<int>(run_.checkpoint.info.classes.size()));
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
  std::vector<std::size_t> rows_;
  std::size_t picture_;
};

std::string figures_of(const std::vector<const Shown*>& pictures, std::size_t n) {
  std::string html = "<div class=\"samples\">\n";
  for (std::size_t i = 0; i < std::min(n, pictures.size()); ++i) html += pictures[i]->figure();
  return html + "</div>\n";
}

}  // namespace

std::string pictures_section(const OpenedRun& run, const Validation& validation, std::size_t n) {
  if (n == 0) return "";
  std::vector<Shown> pictures;
  for (auto& rows : rows_of_pictures(run.reader, validation.pictures))
    pictures.emplace_back(run, validation, std::move(rows), pictures.size());
  std::vector<const Shown*> order;
  for (const Shown& picture : pictures) order.push_back(&picture);
  std::ranges::stable_sort(order, std::greater(), &Shown::loss_per_label);
  const std::string boxes = "Solid boxes: labelled; dashed: found, with confidence " +
                            fixed(validation.confidence, 3) + " or more. ";
  std::string html = "<p class=\"soft\">Ordered by loss per label. " +
                     (validation.results.empty() ? "" : boxes) + "</p>\n<h3>Worst</h3>\n" +
                     figures_of(order, n);
  std::ranges::reverse(order);
  return section("Pictures", html + "<h3>Best</h3>\n" + figures_of(order, n));
}

}  // namespace letterpress
