#include "preprocess/draw/canvas.h"

#include <opencv2/imgproc.hpp>

namespace letterpress {

std::string to_ascii(std::string_view utf8) {
  std::string text;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xC0) == 0x80;
    if (byte >= 0x20 && byte < 0x7F) {
      text += c;
    } else if (!continuation) {
      text += '?';
    }
  }
  return text;
}

std::string fitting_text(const std::string& text, int width, double scale) {
  int baseline = 0;
  const auto fits = [&](const std::string& t) {
    return cv::getTextSize(t, cv::FONT_HERSHEY_SIMPLEX, scale, 1, &baseline).width <= width;
  };
  if (fits(text)) return text;
  std::string start = text;
  while (!start.empty() && !fits(start + "..")) start.pop_back();
  return start.empty() ? "" : start + "..";
}

}  // namespace letterpress
