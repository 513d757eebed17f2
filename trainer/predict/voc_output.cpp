#include <fmt/format.h>

#include "trainer/predict/label_writer.h"

namespace letterpress {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '&') {
      result += "&amp;";
    } else if (letter == '<') {
      result += "&lt;";
    } else {
      result += letter;
    }
  }
  return result;
}

// Pixels counted from 1, both ends included: x1 = xmin - 1, x2 = xmax.
std::string voc_text(const OutputOptions& options, const PictureFindings& findings) {
  std::string text = fmt::format(
      "<annotation>\n  <filename>{}</filename>\n  "
      "<size><width>{}</width><height>{}</height><depth>3</depth></size>\n",
      escaped(findings.picture.name.filename().string()), findings.width, findings.height);
  for (const Detection& one : findings.detections) {
    text += fmt::format(
        "  <object>\n    <name>{}</name>\n    <difficult>0</difficult>\n    "
        "<score>{:.4f}</score>\n",
        escaped(options.classes.at(static_cast<std::size_t>(one.class_id))), one.score);
    text += fmt::format(
        "    "
        "<bndbox><xmin>{:.3f}</xmin><ymin>{:.3f}</ymin><xmax>{:.3f}</xmax><ymax>{:.3f}</ymax></"
        "bndbox>\n  </object>\n",
        one.x1 + 1, one.y1 + 1, one.x2, one.y2);
  }
  return text + "</annotation>\n";
}

}  // namespace

extern constinit const OutputFormatEntry voc_output{
    "voc",
    "an .xml per picture; with --out Annotations beside JPEGImages, `build --input Annotations` "
    "reads them",
    true, [](const OutputOptions& options) -> std::unique_ptr<OutputWriter> {
      return std::make_unique<LabelWriter<voc_text>>(options, ".xml", false);
    }};

}  // namespace letterpress
