// Sections on how pictures and boxes are shaped, placed and shared out.
#include <algorithm>
#include <cmath>

#include "letterpress/page/html.h"
#include "letterpress/page/page.h"
#include "preprocess/report/sections.h"
#include "preprocess/report/shape_charts.h"

namespace letterpress {
namespace {

constexpr std::size_t kMostSizes = 8;
constexpr double kFewExpected = 5;  // boxes: below that a share says nothing
constexpr double kApart = 1.5;      // times the share that a split has of all boxes

std::string number_cell(const std::string& html) { return "<td class=\"n\">" + html + "</td>"; }

std::string percent(double part, double all) {
  return fixed(all > 0 ? 100 * part / all : 0, 1) + " %";
}

using Size = std::pair<std::array<std::int32_t, 2>, std::int64_t>;

std::string size_rows(const std::vector<Size>& sizes, std::int64_t all) {
  std::string html;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto& [size, n] = sizes[i];
    if (i >= kMostSizes) {
      others += n;
      continue;
    }
    html += "<tr><td>" + std::to_string(size[0]) + " × " + std::to_string(size[1]) + "</td>" +
            number_cell(fixed(1.0 * size[0] / size[1], 2)) +
            number_cell(named_number(
                "size." + std::to_string(size[0]) + "x" + std::to_string(size[1]), n)) +
            number_cell(percent(static_cast<double>(n), static_cast<double>(all))) + "</tr>\n";
  }
  if (others == 0) return html;
  return html + "<tr><td class=\"soft\">" +
         grouped(static_cast<std::int64_t>(sizes.size() - kMostSizes)) +
         " other sizes</td><td></td>" + number_cell(grouped(others)) +
         number_cell(percent(static_cast<double>(others), static_cast<double>(all))) + "</tr>\n";
}

// Whether a class has clearly more or less of a split than all classes together have.
struct ShareOfSplit {
  std::int64_t boxes = 0, boxes_of_class = 0;
  double share_of_split = 0;

  std::string flag() const {
    const double expected = share_of_split * static_cast<double>(boxes_of_class);
    if (expected >= 1 && boxes == 0) return "none";
    if (expected < kFewExpected) return "";
    const double times = static_cast<double>(boxes) / expected;
    return times > kApart ? "over" : times < 1 / kApart ? "under" : "";
  }
};

std::string flag_html(const std::string& flag) {
  if (flag.empty()) return "";
  return " <small class=\"" + std::string(flag == "none" ? "bad" : "warn") + "\" data-flag=\"" +
         flag + "\">" +
         (flag == "none"   ? "none"
          : flag == "over" ? "▲ over"
                           : "▼ under") +
         "</small>";
}

std::int64_t boxes_of(const Contents& contents, std::size_t class_id) {
  std::int64_t n = 0;
  for (const auto& [name, split] : contents.splits) n += split.boxes_per_class[class_id];
  return n;
}

std::string class_row(const ReportSource& source, std::size_t class_id, std::int64_t all) {
  const std::int64_t of_class = boxes_of(source.contents, class_id);
  std::string html = "<tr><td>" + escaped(source.reader.snapshot().classes[class_id]) + "</td>";
  for (const auto& [name, split] : source.contents.splits) {
    const ShareOfSplit share{split.boxes_per_class[class_id], of_class,
                             static_cast<double>(split.boxes) / static_cast<double>(all)};
    html += number_cell(grouped(share.boxes) + flag_html(share.flag())) +
            number_cell("<span class=\"soft\">" +
                        percent(static_cast<double>(share.boxes), static_cast<double>(of_class)) +
                        "</span>");
  }
  return html + "</tr>\n";
}

}  // namespace

std::string pictures_section(const ReportSource& source) {
  const auto& counts = source.shapes.picture_sizes;
  std::vector<Size> sizes(counts.begin(), counts.end());
  std::ranges::stable_sort(sizes, std::ranges::greater(), &Size::second);
  std::int64_t all = 0;
  for (const Size& size : sizes) all += size.second;
  return section("Pictures",
                 "<table><tr><th>size, pixels</th><th class=\"n\">width ÷ height</th><th "
                 "class=\"n\">pictures</th><th class=\"n\">share</th></tr>\n" +
                     size_rows(sizes, all) + "</table>\n");
}

std::string places_section(const ReportSource& source) {
  return section(
      "Where boxes are, and how large",
      "<div class=\"charts\">" +
          density_chart({.title = "Centres of boxes in their pictures",
                         .x_axis = "across",
                         .y_axis = "down",
                         .upwards = false,
                         .key = "centre"},
                        source.shapes.centres) +
          density_chart({.title = "Widths and heights of boxes",
                         .x_axis = "width",
                         .y_axis = "height",
                         .upwards = true,
                         .key = "shape"},
                        source.shapes.box_sizes) +
          "</div>\n<p class=\"soft\">Shares of the picture's width and height, over all splits; "
          "the darker a cell, the more boxes.</p>\n");
}

std::string balance_section(const ReportSource& source) {
  std::int64_t all = 0;
  for (const auto& [name, split] : source.contents.splits) all += split.boxes;
  if (source.contents.splits.size() < 2 || all == 0) return "";
  std::string html = "<table><tr><th>class</th>";
  for (const auto& [name, split] : source.contents.splits)
    html += "<th class=\"n\">" + escaped(name) + "</th><th class=\"n\">of the class</th>";
  html += "</tr>\n";
  for (std::size_t c = 0; c < source.reader.snapshot().classes.size(); ++c)
    html += class_row(source, c, all);
  html += "<tr><th>all</th>";
  for (const auto& [name, split] : source.contents.splits)
    html += number_cell(grouped(split.boxes)) +
            number_cell("<span class=\"soft\">" +
                        percent(static_cast<double>(split.boxes), static_cast<double>(all)) +
                        "</span>");
  return section("Classes over splits",
                 html +
                     "</tr>\n</table>\n<p class=\"soft\">▲ over, ▼ under: more than 1.5 times as "
                     "many or as few boxes as the split's share of all boxes would give.</p>\n");
}

std::string augmented_section(const ReportSource& source) {
  std::string rows;
  const auto& classes = source.reader.snapshot().classes;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const AugmentedBoxes& boxes = source.shapes.augmented[c];
    if (boxes.expected == 0) continue;
    const auto number = [&](const char* what, std::int64_t n) {
      return number_cell(named_number("augmented." + std::to_string(c) + "." + what, n)) +
             number_cell("<span class=\"soft\">" +
                         percent(static_cast<double>(n), static_cast<double>(boxes.expected)) +
                         "</span>");
    };
    rows += "<tr><td>" + escaped(classes[c]) + "</td>" + number_cell(grouped(boxes.expected)) +
            number("cut", boxes.cut) + number("lost", boxes.lost) + "</tr>\n";
  }
  if (rows.empty()) return "";
  return section("Boxes in augmented rows",
                 "<table><tr><th>class</th><th class=\"n\">labelled</th><th class=\"n\">cut</th><th"
                 "></th><th class=\"n\">lost</th><th></th></tr>\n" +
                     rows +
                     "</table>\n<p class=\"soft\">Cut: a part of the box lies outside the row. "
                     "Lost: too little of it is left, by the recipe's rule for cut boxes. "
                     "<code>preview --worst-cut</code> shows the worst rows.</p>\n");
}

}  // namespace letterpress
