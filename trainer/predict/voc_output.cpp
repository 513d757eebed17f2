#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "letterpress/detections/valid_utf8.h"
#include "trainer/predict/label_writer.h"

namespace letterpress {
namespace {

// Names of files may hold any bytes; XML has UTF-8 without control characters.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : valid_utf8(text)) {
    if (letter == '&') {
      result += "&amp;";
    } else if (letter == '<') {
      result += "&lt;";
    } else if (static_cast<unsigned char>(letter) < ' ') {
      result += kReplaced;
    } else {
      result += letter;
    }
  }
  return result;
}

// Whole pixels counted from 1, both ends included: xmin = x1 + 1, xmax = x2. Two at least: where
// both are one, `build` takes the box for a click of a mouse. limit: the picture's, 2 or more.
std::array<long, 2> pixels(float low, float high, int limit) {
  const long first = std::clamp(std::lround(low) + 1, 1L, limit - 1L);
  return {first, std::clamp(std::lround(high), first + 1, long{limit})};
}

std::string voc_text(const OutputOptions& options, const PictureFindings& findings) {
  std::string text = fmt::format(
      "<annotation>\n  <filename>{}</filename>\n  "
      "<size><width>{}</width><height>{}</height><depth>3</depth></size>\n",
      escaped(findings.picture.name.filename().string()), findings.width, findings.height);
  const bool has_room = std::min(findings.width, findings.height) > 1;
  for (const Detection& one : has_room ? findings.detections : std::vector<Detection>{}) {
    text += fmt::format(
        "  <object>\n    <name>{}</name>\n    <difficult>0</difficult>\n    "
        "<score>{:.4f}</score>\n",
        escaped(options.classes.at(static_cast<std::size_t>(one.class_id))), one.score);
    const auto [xmin, xmax] = pixels(one.x1, one.x2, findings.width);
    const auto [ymin, ymax] = pixels(one.y1, one.y2, findings.height);
    text += fmt::format(
        "    <bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>\n"
        "  </object>\n",
        xmin, ymin, xmax, ymax);
  }
  return text + "</annotation>\n";
}

}  // namespace

extern constinit const OutputFormatEntry voc_output{
    "voc",
    "an .xml per picture; with --out Annotations beside JPEGImages, `build --input Annotations` "
    "reads them",
    true, "", [](const OutputOptions& options) -> std::unique_ptr<OutputWriter> {
      return std::make_unique<LabelWriter<voc_text>>(options, ".xml", false);
    }};

}  // namespace letterpress
