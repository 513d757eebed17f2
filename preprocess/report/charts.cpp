#include "preprocess/report/charts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "letterpress/page/html.h"
#include "letterpress/page/svg.h"

namespace letterpress {
namespace {

constexpr int kWidth = 720, kLabelWidth = 170, kCountWidth = 90, kBarHeight = 22;
constexpr int kPlotHeight = 180, kAxis = 34, kTop = 16;
constexpr std::size_t kMostBars = 40;
constexpr std::size_t kLetters = 24;  // that fit the column of labels

// data: attributes by which programs find the bar's figures again.
std::string bar(const std::array<double, 4>& place, const std::string& style,
                const std::string& data, const std::string& title) {
  const auto& [x, y, width, height] = place;
  return "<rect x=\"" + fixed(x, 2) + "\" y=\"" + fixed(y, 2) + "\" width=\"" + fixed(width, 2) +
         "\" height=\"" + fixed(height, 2) + "\" class=\"" + style + "\"" + data + "><title>" +
         escaped(title) + "</title></rect>\n";
}

std::vector<std::size_t> by_count(const std::vector<std::int64_t>& totals) {
  std::vector<std::size_t> order(totals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return totals[a] > totals[b]; });
  return order;
}

struct Column {
  std::string label;
  std::int64_t n = 0;
  std::string data, title;
};

// Upright bars of equal width above an axis whose labels are thinned out to fit.
std::string columns(const std::vector<Column>& all, const std::string& title,
                    const std::string& axis) {
  std::string svg = open_svg(kWidth, kTop + kPlotHeight + kAxis, title);
  std::int64_t most = 1;
  for (const Column& column : all) most = std::max(most, column.n);
  const double step =
      static_cast<double>(kWidth) / static_cast<double>(std::max<std::size_t>(all.size(), 1));
  const double base = kTop + kPlotHeight;
  const auto every = static_cast<std::size_t>(std::ceil(44 / step));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = step * static_cast<double>(i);
    const double height = all[i].n == 0
                              ? 0
                              : std::max(1.0, kPlotHeight * static_cast<double>(all[i].n) /
                                                  static_cast<double>(most));
    svg += bar({x + 1, base - height, step - 2, height}, "s0", all[i].data, all[i].title);
    if (all[i].n == most)
      svg += svg_text(x + step / 2, base - height - 4, "middle count", grouped(all[i].n));
    if (i % every == 0) svg += svg_text(x + step / 2, base + 14, "middle axis", all[i].label);
  }
  svg += "<line x1=\"0\" x2=\"" + std::to_string(kWidth) + "\" y1=\"" + fixed(base, 1) +
         "\" y2=\"" + fixed(base, 1) + "\"/>\n";
  return svg + svg_text(kWidth, base + 30, "end axis", axis) + "</svg>\n";
}

std::vector<double> shares_of(const std::vector<std::int64_t>& counts) {
  const auto all = static_cast<double>(
      std::max<std::int64_t>(1, std::accumulate(counts.begin(), counts.end(), std::int64_t{0})));
  std::vector<double> shares;
  for (const std::int64_t n : counts) shares.push_back(static_cast<double>(n) / all);
  return shares;
}

}  // namespace

std::string class_chart(const std::vector<std::string>& classes, const Contents& contents) {
  const bool labels = contents.only_labels();
  const std::string what = labels ? "pictures" : "boxes";
  const auto counts = labels ? &SplitContents::pictures_per_class : &SplitContents::boxes_per_class;
  std::vector<std::int64_t> totals(classes.size(), 0);
  for (const auto& [name, split] : contents.splits) {
    for (std::size_t c = 0; c < classes.size(); ++c) totals[c] += (split.*counts)[c];
  }
  const std::int64_t most = std::max<std::int64_t>(
      1, totals.empty() ? 1 : *std::max_element(totals.begin(), totals.end()));
  std::string svg =
      open_svg(kWidth, kBarHeight * static_cast<int>(classes.size()) + 4, what + " per class");
  double y = 2;
  for (const std::size_t c : by_count(totals)) {
    double x = kLabelWidth;
    int style = 0;
    svg += svg_text(kLabelWidth - 8, y + 15, "end", shortened(classes[c], kLetters));
    for (const auto& [name, split] : contents.splits) {
      const std::int64_t n = (split.*counts)[c];
      const double width =
          (kWidth - kLabelWidth - kCountWidth) * static_cast<double>(n) / static_cast<double>(most);
      svg += bar({x, y + 2, width, kBarHeight - 6.0}, "s" + std::to_string(style++ % 4),
                 attribute("class", classes[c]) + attribute("split", name) +
                     attribute("n", std::to_string(n)),
                 classes[c] + ", " + name + ": " + grouped(n) + " " + what);
      x += width;
    }
    svg += svg_text(x + 8, y + 15, "count", grouped(totals[c]));
    y += kBarHeight;
  }
  return svg + "</svg>\n";
}

std::string size_chart(const Contents& contents, int side) {
  std::vector<Column> all;
  const double step = static_cast<double>(side) / kSizeBins;
  for (std::size_t i = 0; i < contents.box_sizes.size(); ++i) {
    const std::string from = fixed(step * static_cast<double>(i), 0),
                      to = fixed(step * static_cast<double>(i + 1), 0);
    const std::int64_t n = contents.box_sizes[i];
    all.push_back({from, n,
                   attribute("size-bin", std::to_string(i)) + attribute("n", std::to_string(n)),
                   from + " to " + to + " pixels: " + grouped(n) + " boxes"});
  }
  return columns(all, "box sizes", "square root of width × height, pixels of the frame");
}

std::string size_change_chart(const std::vector<std::int64_t>& before,
                              const std::vector<std::int64_t>& now) {
  constexpr int kBinPixels = 8;
  const std::array<std::vector<double>, 2> shares{shares_of(before), shares_of(now)};
  double most = 1e-9;
  for (const std::vector<double>& series : shares)
    most = std::max(most, *std::max_element(series.begin(), series.end()));
  std::string svg = open_svg(kWidth, kTop + kPlotHeight + kAxis, "box sizes before and now");
  const double step = static_cast<double>(kWidth) / static_cast<double>(before.size()),
               base = kTop + kPlotHeight;
  const auto every = static_cast<std::size_t>(std::ceil(44 / step));
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double x = step * static_cast<double>(i);
    const int from = kBinPixels * static_cast<int>(i);
    const auto percent = [&](std::size_t series) { return fixed(100 * shares[series][i], 1); };
    for (std::size_t k = 0; k < 2; ++k) {
      const double height = kPlotHeight * shares[k][i] / most;
      svg += bar(
          {x + 1 + static_cast<double>(k) * (step - 2) / 2, base - height, (step - 2) / 2, height},
          "s" + std::to_string(k),
          attribute("size-change", std::to_string(i)) + attribute("share", percent(k)),
          std::to_string(from) + " to " + std::to_string(from + kBinPixels) +
              " pixels: " + percent(0) + " % of the boxes before, " + percent(1) + " % now");
    }
    if (i % every == 0)
      svg += svg_text(x + step / 2, base + 14, "middle axis", std::to_string(from));
  }
  svg += "<line x1=\"0\" x2=\"" + std::to_string(kWidth) + "\" y1=\"" + fixed(base, 1) +
         "\" y2=\"" + fixed(base, 1) + "\"/>\n";
  return svg +
         svg_text(kWidth, base + 30, "end axis",
                  "square root of width × height, pixels of the frame") +
         "</svg>\n";
}

std::string colour_key(const std::vector<std::string>& names) {
  std::string html = "<p>";
  for (std::size_t i = 0; i < names.size(); ++i) {
    html +=
        "<span class=\"key\"><svg viewBox=\"0 0 12 12\"><rect width=\"12\" height=\"12\" rx=\"2\" "
        "class=\"s" +
        std::to_string(i % 4) + "\"/></svg>" + escaped(names[i]) + "</span>";
  }
  return html + "</p>\n";
}

std::string crowd_chart(const Contents& contents) {
  const int most = contents.crowds.empty() ? 0 : contents.crowds.rbegin()->first;
  const int step = most / static_cast<int>(kMostBars) + 1;
  std::vector<Column> all;
  for (int first = 0; first <= most; first += step) {
    std::int64_t n = 0;
    for (int boxes = first; boxes < first + step; ++boxes) {
      const auto found = contents.crowds.find(boxes);
      n += found == contents.crowds.end() ? 0 : found->second;
    }
    const std::string range =
        std::to_string(first) + (step > 1 ? " to " + std::to_string(first + step - 1) : "");
    all.push_back({std::to_string(first), n,
                   attribute("boxes", std::to_string(first)) + attribute("n", std::to_string(n)),
                   range + " boxes: " + grouped(n) + " pictures"});
  }
  return columns(all, "boxes per picture", "boxes per picture");
}

std::string anchor_chart(const std::vector<std::array<double, 2>>& anchors, int side) {
  constexpr double kFrame = 220;
  std::string svg =
      open_svg(static_cast<int>(kFrame), static_cast<int>(kFrame), "anchors to scale");
  svg += bar({0.5, 0.5, kFrame - 1, kFrame - 1}, "frame", "",
             "the frame, " + std::to_string(side) + " pixels");
  for (std::size_t i = anchors.size(); i-- > 0;) {
    const double width = anchors[i][0] * kFrame / side, height = anchors[i][1] * kFrame / side;
    svg += bar({(kFrame - width) / 2, (kFrame - height) / 2, width, height}, "anchor", "",
               fixed(anchors[i][0], 1) + " × " + fixed(anchors[i][1], 1));
  }
  return svg + "</svg>\n";
}

}  // namespace letterpress
