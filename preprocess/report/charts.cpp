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
constexpr std::size_t kLetters = 20;  // as many as fit the column of labels
constexpr const char* kSizeAxis = "square root of width × height, pixels of the frame";

// data: attributes by which programs find the bar's numbers. title: what pointing at it shows.
std::string bar(const std::array<double, 4>& rect, const std::string& style,
                const std::string& data, const std::string& title) {
  const auto& [x, y, width, height] = rect;
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

struct Bar {
  double value = 0;
  std::string data, title;
  std::string above{};  ///< written above the highest
};
struct Column {
  std::string label;
  std::vector<Bar> bars;
};

// Columns of equal width above an axis, with as many labels as fit. A bar that is not 0 is at least
// a pixel high.
std::string plot(const std::vector<Column>& columns, const std::string& title,
                 const std::string& axis) {
  std::string svg = open_svg(kWidth, kTop + kPlotHeight + kAxis, title);
  double most = 1e-9;
  for (const Column& column : columns)
    for (const Bar& one : column.bars) most = std::max(most, one.value);
  const double step = kWidth / std::max(1.0, static_cast<double>(columns.size()));
  const double base = kTop + kPlotHeight;
  const auto every = static_cast<std::size_t>(std::ceil(44 / step));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double x = step * static_cast<double>(i) + 1;
    const double width = (step - 2) / static_cast<double>(columns[i].bars.size());
    int style = 0;
    for (const auto& [value, data, text, above] : columns[i].bars) {
      const double height = value == 0 ? 0 : std::max(1.0, kPlotHeight * value / most);
      svg += bar({x, base - height, width, height}, "s" + std::to_string(style++), data, text);
      if (value == most && !above.empty())
        svg += svg_text(x + width / 2, base - height - 4, "middle count", above);
      x += width;
    }
    if (i % every == 0)
      svg += svg_text(step * (static_cast<double>(i) + 0.5), base + 14, "middle axis",
                      columns[i].label);
  }
  svg += "<line x1=\"0\" x2=\"" + std::to_string(kWidth) + "\" y1=\"" + fixed(base, 1) +
         "\" y2=\"" + fixed(base, 1) + "\"/>\n";
  return svg + svg_text(kWidth, base + 30, "end axis", axis) + "</svg>\n";
}

Bar count_bar(std::int64_t n, const std::string& data, const std::string& title) {
  return {static_cast<double>(n), data + attribute("n", std::to_string(n)), title, grouped(n)};
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
    all.push_back({from,
                   {count_bar(n, attribute("size-bin", std::to_string(i)),
                              from + " to " + to + " pixels: " + grouped(n) + " boxes")}});
  }
  return plot(all, "box sizes", kSizeAxis);
}

std::string size_change_chart(const std::vector<std::int64_t>& before,
                              const std::vector<std::int64_t>& now) {
  constexpr std::size_t kBinPixels = 8;
  const std::vector<double> old_shares = shares_of(before), shares = shares_of(now);
  std::vector<Column> all;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string from = std::to_string(kBinPixels * i),
                      to = std::to_string(kBinPixels * (i + 1)),
                      old_percent = fixed(100 * old_shares[i], 1),
                      percent = fixed(100 * shares[i], 1);
    const std::string bin = attribute("size-change", std::to_string(i));
    const std::string title = from + " to " + to + " pixels: " + old_percent +
                              " % of the boxes before, " + percent + " % now";
    all.push_back({from,
                   {{old_shares[i], bin + attribute("share", old_percent), title},
                    {shares[i], bin + attribute("share", percent), title}}});
  }
  return plot(all, "box sizes before and now", kSizeAxis);
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
    all.push_back({std::to_string(first),
                   {count_bar(n, attribute("boxes", std::to_string(first)),
                              range + " boxes: " + grouped(n) + " pictures")}});
  }
  return plot(all, "boxes per picture", "boxes per picture");
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
