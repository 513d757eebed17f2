#include "preprocess/report/sections.h"

#include <algorithm>
#include <cmath>

#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "letterpress/page/picture.h"
#include "letterpress/shards/anchors.h"
#include "preprocess/report/charts.h"
#include "preprocess/report/samples.h"

namespace letterpress {
namespace {

std::string identity_line(bool holds, const std::string& words) {
  return "<p class=\"identity\"><span class=\"" + std::string(holds ? "good\">✓" : "bad\">✗") +
         "</span> " + words + "</p>\n";
}

std::string cell(const std::string& html) { return "<td class=\"n\">" + html + "</td>"; }

std::string split_key(const Contents& contents) {
  std::vector<std::string> names;
  for (const auto& [name, split] : contents.splits) names.push_back(name);
  return colour_key(names);
}

std::string split_table(const Contents& contents, bool tiled) {
  std::string html =
      std::string("<table><tr><th>split</th><th class=\"n\">") + (tiled ? "tiles" : "pictures") +
      "</th><th class=\"n\">background among these</th><th class=\"n\">boxes</th>"
      "<th class=\"n\">augmented rows</th><th class=\"n\">boxes in these</th></tr>\n";
  for (const auto& [name, split] : contents.splits) {
    const auto number = [&](const char* what, std::int64_t n) {
      return cell(named_number("split." + name + "." + what, n));
    };
    html += "<tr><td>" + escaped(name) + "</td>" + number("pictures", split.pictures) +
            number("background", split.background) + number("boxes", split.boxes) +
            number("augmented_rows", split.augmented_rows) +
            number("augmented_boxes", split.augmented_boxes) + "</tr>\n";
  }
  return html + "</table>\n";
}

std::string size_words(const std::vector<float>& sizes) {
  if (sizes.empty()) return "<p>There are no boxes.</p>\n";
  const auto at = [&](double share) {
    return fixed(sizes[static_cast<std::size_t>(share * static_cast<double>(sizes.size() - 1))], 1);
  };
  const auto under = [&](float side) {
    const auto n = std::lower_bound(sizes.begin(), sizes.end(), side) - sizes.begin();
    return fixed(100 * static_cast<double>(n) / static_cast<double>(sizes.size()), 1) + " %";
  };
  return "<p>Half of the boxes are between " + at(0.25) + " and " + at(0.75) +
         " pixels (square root of width × height), the median is " + at(0.5) + "; " + under(8) +
         " are under 8 pixels, " + under(16) + " under 16.</p>\n";
}

std::string anchor_table(const std::vector<std::array<double, 2>>& anchors) {
  std::string html = "<p><code>";
  for (const auto& [width, height] : anchors)
    html += fixed(width, 1) + "," + fixed(height, 1) + " ";
  return html +
         "</code></p>\n<p class=\"soft\">Pixels of the frame, k-means on IoU over all rows of "
         "split train. For another number or "
         "other rows run <code>letterpress-preprocess anchors</code>.</p>\n";
}

std::string tile_lines(const Accounting& sums) {
  if (!sums.tiles) return "";
  const TileAccounting& tiles = *sums.tiles;
  return identity_line(tiles.laid == tiles.accounted(),
                       named_number("tiles_laid", tiles.laid) + " tiles laid = " +
                           named_number("tiles_stored", tiles.stored) + " stored (of which " +
                           named_number("tiles_background", tiles.background) + " background) + " +
                           named_number("tiles_left_out", tiles.left_out) + " left out + " +
                           named_number("tiles_rejected", tiles.rejected) + " rejected") +
         identity_line(sums.boxes_stored == tiles.boxes_accounted(),
                       std::to_string(sums.boxes_stored) + " boxes stored = " +
                           named_number("boxes_whole", tiles.boxes_whole) + " whole in a tile + " +
                           named_number("boxes_cut", tiles.boxes_cut) + " cut in every tile + " +
                           named_number("boxes_outside", tiles.boxes_outside) + " in no tile");
}

}  // namespace

std::string accounting_section(const ReportSource& source) {
  const Accounting& sums = source.reader.snapshot().accounting;
  const bool pictures = sums.pictures_found == sums.pictures_accounted();
  const bool boxes = sums.boxes_found == sums.boxes_accounted();
  std::string html = identity_line(
      pictures, named_number("pictures_found", sums.pictures_found) + " pictures found = " +
                    named_number("pictures_stored", sums.pictures_stored) + " stored (of which " +
                    named_number("pictures_background", sums.pictures_background) +
                    " background) + " +
                    named_number("pictures_duplicate", sums.pictures_duplicate) + " duplicates + " +
                    named_number("pictures_rejected", sums.pictures_rejected) + " rejected");
  html += identity_line(
      boxes, named_number("boxes_found", sums.boxes_found) +
                 " boxes found = " + named_number("boxes_stored", sums.boxes_stored) +
                 " stored + " + named_number("boxes_merged", sums.boxes_merged) + " merged + " +
                 named_number("boxes_rejected", sums.boxes_rejected) + " rejected");
  html += tile_lines(sums);
  html += "<p class=\"soft\">" + named_number("boxes_clipped", sums.boxes_clipped) +
          " of the stored boxes were clipped to their picture; " +
          named_number("moved_to_val", sums.moved_to_val) +
          " pictures were listed in two splits and are kept in val only; " +
          named_number("pictures_unlabelled", sums.pictures_unlabelled) +
          " of the pictures found have no label file or annotation.</p>\n";
  return section("Accounting",
                 html + "<h3>Splits</h3>\n" + split_table(source.contents, sums.tiles.has_value()));
}

std::string contents_section(const ReportSource& source) {
  const std::vector<std::string>& classes = source.reader.snapshot().classes;
  const std::string chart = split_key(source.contents) + class_chart(classes, source.contents);
  if (source.contents.only_labels()) return section("Pictures per class", chart);
  return section("Classes", chart + "<h3>Boxes per picture</h3>\n" + crowd_chart(source.contents));
}

std::string sizes_section(const ReportSource& source) {
  const Snapshot& snapshot = source.reader.snapshot();
  const int side = snapshot.identity.side;
  std::string html = size_words(source.contents.sizes) + size_chart(source.contents, side);
  if (!snapshot.statistics.anchors.empty()) {
    html += "<h3>Anchors</h3>\n<div class=\"two\"><div>" +
            anchor_table(snapshot.statistics.anchors) + "</div>" +
            anchor_chart(snapshot.statistics.anchors, side) + "</div>\n";
  }
  return section("Box sizes in the " + std::to_string(side) + "-pixel frame", html);
}

std::string samples_section(const ReportSource& source) {
  std::string html = class_key(source.reader.snapshot().classes);
  for (const auto& [name, split] : source.contents.splits) {
    html += "<h3>" + escaped(name) + "</h3>\n" +
            sample_pictures(source.reader, name, source.options.samples);
  }
  return section("Samples", html);
}

std::string settings_section(const ReportSource& source) {
  const Snapshot& snapshot = source.reader.snapshot();
  const auto row = [](const std::string& name, const std::string& value) {
    return "<tr><th>" + name + "</th><td class=\"wrap\"><code>" + escaped(value) +
           "</code></td></tr>\n";
  };
  return section(
      "How it was made",
      "<table>" + row("configuration", snapshot.configuration_json) +
          row("recipe", snapshot.identity.recipe_name + " " + snapshot.identity.recipe_json) +
          row("seed, draw", std::to_string(snapshot.identity.seed) + ", " +
                                std::to_string(snapshot.identity.draw)) +
          row("by", snapshot.producer) + row("logical digest", snapshot.logical_digest.hex()) +
          "</table>\n");
}

}  // namespace letterpress
