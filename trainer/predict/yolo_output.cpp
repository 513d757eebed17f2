#include <fmt/format.h>

#include "trainer/predict/label_writer.h"

namespace letterpress {
namespace {

constexpr double kLeastSide = 0.01;  // pixels: a thinner box has no area once it is read again

// class, then centre and size as parts of the picture: a line per box. Without the slivers that a
// network finds which has learnt little.
std::string yolo_text(const OutputOptions&, const PictureFindings& findings) {
  std::string text;
  for (const Detection& one : findings.detections) {
    const double x1 = one.x1, y1 = one.y1, x2 = one.x2, y2 = one.y2;
    if (x2 - x1 < kLeastSide || y2 - y1 < kLeastSide) continue;
    text += fmt::format("{} {:.7f} {:.7f} {:.7f} {:.7f}\n", one.class_id,
                        (x1 + x2) / 2 / findings.width, (y1 + y2) / 2 / findings.height,
                        (x2 - x1) / findings.width, (y2 - y1) / findings.height);
  }
  return text;
}

}  // namespace

extern constinit const OutputFormatEntry yolo_output{
    "yolo",
    "a .txt per picture and classes.txt; with --out labels beside images, `build --input images "
    "--classes labels/classes.txt` reads them",
    true,
    "",
    [](const OutputOptions& options) -> std::unique_ptr<OutputWriter> {
      return std::make_unique<LabelWriter<yolo_text>>(options, ".txt", true);
    },
    false,
    true};

}  // namespace letterpress
