#include "trainer/schedules/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace letterpress {
namespace {

constexpr int kWidth = 720, kHeight = 360, kLeft = 80, kTop = 40, kRight = 20, kBottom = 40;
constexpr std::size_t kSvgPoints = 1000;

// Escapes text for XML.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text)
    result += letter == '&' ? "&amp;" : letter == '<' ? "&lt;" : std::string(1, letter);
  return result;
}

double highest(const std::vector<double>& rates) {
  const double most = *std::max_element(rates.begin(), rates.end());
  return most > 0 ? most : 1;
}

// The steps of column `column` of `columns`: at least one.
std::pair<std::size_t, std::size_t> steps_of(std::size_t column, std::size_t columns,
                                             std::size_t steps) {
  const std::size_t first = column * steps / columns;
  return {first, std::max(first + 1, (column + 1) * steps / columns)};
}

}  // namespace

std::string SchedulePlot::text(int columns, int rows) const {
  const double most = highest(rates);
  std::vector<std::string> lines(static_cast<std::size_t>(rows),
                                 std::string(static_cast<std::size_t>(columns), ' '));
  for (std::size_t column = 0; column < static_cast<std::size_t>(columns); ++column) {
    const auto [first, last] = steps_of(column, static_cast<std::size_t>(columns), rates.size());
    const double rate = *std::max_element(rates.begin() + static_cast<std::ptrdiff_t>(first),
                                          rates.begin() + static_cast<std::ptrdiff_t>(last));
    const auto height = static_cast<std::size_t>(std::lround(rate / most * (rows - 1)));
    lines[static_cast<std::size_t>(rows) - 1 - height][column] = '*';
  }
  std::string text = title + "\n";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const double rate =
        most * static_cast<double>(lines.size() - 1 - row) / static_cast<double>(lines.size() - 1);
    std::string line = fmt::format("{:9.3g} |", rate) + lines[row];
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  const std::string end = "step " + std::to_string(rates.size());
  text += std::string(10, ' ') + "+" + std::string(static_cast<std::size_t>(columns), '-') + "\n";
  const auto gap = std::max(1, columns - 1 - static_cast<int>(end.size()));
  return text + std::string(11, ' ') + "0" + std::string(static_cast<std::size_t>(gap), ' ') + end +
         "\n";
}

std::string SchedulePlot::svg() const {
  const double most = highest(rates), width = kWidth - kLeft - kRight,
               height = kHeight - kTop - kBottom;
  const std::size_t points = std::min(rates.size(), kSvgPoints);
  std::string line;
  for (std::size_t i = 0; i < points; ++i) {
    const std::size_t step = points > 1 ? i * (rates.size() - 1) / (points - 1) : 0;
    const double x =
        kLeft + width * (points > 1 ? static_cast<double>(i) / static_cast<double>(points - 1) : 0);
    line +=
        fmt::format("{}{:.1f},{:.1f}", i ? " " : "", x, kTop + height * (1 - rates[step] / most));
  }
  std::ostringstream svg;
  const int bottom = kHeight - kBottom, right = kWidth - kRight;
  svg << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << kWidth << R"(" height=")"
      << kHeight << R"(" font-family="sans-serif" font-size="12">)"
      << "\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      << "<text x=\"" << kLeft << "\" y=\"24\">" << escaped(title) << "</text>\n"
      << "<path d=\"M" << kLeft << " " << kTop << "V" << bottom << "H" << right
      << "\" fill=\"none\" stroke=\"black\"/>\n"
      << "<text x=\"" << kLeft - 6 << "\" y=\"" << kTop + 4 << "\" text-anchor=\"end\">"
      << fmt::format("{:.3g}", most) << "</text>\n"
      << "<text x=\"" << kLeft - 6 << "\" y=\"" << bottom + 4 << "\" text-anchor=\"end\">0</text>\n"
      << "<text x=\"" << right << "\" y=\"" << bottom + 20 << "\" text-anchor=\"end\">step "
      << rates.size() << "</text>\n"
      << "<polyline points=\"" << line
      << "\" fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"2\"/>\n</svg>\n";
  return svg.str();
}

std::string SchedulePlot::csv() const {
  std::string text = "step,epoch,lr\n";
  for (std::size_t step = 0; step < rates.size(); ++step) {
    text += fmt::format("{},{:.6g},{:.9g}\n", step, static_cast<double>(step) / steps_per_epoch,
                        rates[step]);
  }
  return text;
}

}  // namespace letterpress
