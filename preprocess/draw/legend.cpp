#include <opencv2/imgproc.hpp>

#include "letterpress/base/class_colour.h"
#include "preprocess/draw/canvas.h"
#include "preprocess/draw/draw.h"

namespace letterpress {
namespace {

constexpr int kLineHeight = 18, kSwatch = 10, kMargin = 6, kMostLines = 3;
constexpr double kScale = 0.4;

struct Entry {
  cv::Point at{};  ///< upper left corner of its swatch
  cv::Scalar colour{};
  Line text;
};

int width_of(const Line& text) { return kSwatch + 4 + text.width() + 12; }

// Those that fit into lines of `width` pixels, from the left; the last one may say how many do not.
std::vector<Entry> entries_of(const std::map<int, std::string>& names, int width) {
  std::vector<Entry> entries;
  cv::Point at(kMargin, 0);
  int left = static_cast<int>(names.size());
  for (const auto& [index, name] : names) {
    Line text = fitting_line(name, width / 3, kScale);
    const Line more("and " + std::to_string(left) + " more", kScale);
    const bool is_last_line = at.y == (kMostLines - 1) * kLineHeight;
    const int room = width - kMargin - (is_last_line && left > 1 ? width_of(more) : 0);
    if (at.x > kMargin && at.x + width_of(text) > room) {
      if (is_last_line) {
        entries.push_back({at, {32, 32, 32}, more});
        break;
      }
      at = {kMargin, at.y + kLineHeight};
    }
    const auto [red, green, blue] = class_colour(index);
    entries.push_back({at, cv::Scalar(red, green, blue), text});
    at.x += width_of(text);
    --left;
  }
  return entries;
}

}  // namespace

void add_legend(Sheet& sheet, const std::map<int, std::string>& names) {
  if (names.empty()) return;
  const std::vector<Entry> entries = entries_of(names, sheet.width);
  const int height = sheet.height + entries.back().at.y + kLineHeight + kMargin;
  sheet.rgb.resize(static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(height) * 3,
                   32);
  cv::Mat canvas(height, sheet.width, CV_8UC3, sheet.rgb.data());
  for (const Entry& entry : entries) {
    const cv::Point at(entry.at.x, sheet.height + entry.at.y);
    cv::rectangle(canvas, cv::Rect(at.x, at.y + 4, kSwatch, kSwatch), entry.colour, cv::FILLED);
    entry.text.draw(canvas, {at.x + kSwatch + 4, at.y + kLineHeight - 5}, {230, 230, 230});
  }
  sheet.height = height;
}

}  // namespace letterpress
