#include "yolo_shapes.h"

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

void YoloShapes::add(const YoloLabels& labels, std::size_t item, const std::string& file) {
  around_.shapes += labels.outlines;
  with_points_ += labels.with_points;
  if (labels.either > 0) either_.push_back({item, file, labels.either});
  if (point_fields_ > 0 || labels.point_fields == 0) return;
  point_fields_ = labels.point_fields;
  point_file_ = file;
}

void YoloShapes::settle(const FileTree& files, const YoloDataset& dataset, AnnotationSet& set) {
  if (around_.shapes == 0) return;
  if (point_fields_ > 0) {
    throw Error({.where = printable(point_file_, 1000),
                 .what = "has a box with keypoints (" + std::to_string(point_fields_) +
                         " fields), but " +
                         counted(around_.shapes, "line of this set is an outline",
                                 "lines of this set are outlines"),
                 .fix = "write kpt_shape in data.yaml, or keep one kind of line"});
  }
  for (const auto& [item, file, lines] : either_) {
    const Expected<std::string> text = read_label_file(files, file);
    if (!text) continue;  // removed while it was read: as it was then
    Expected<YoloLabels> labels = parse_yolo_labels(*text, file, dataset, EitherLines::outlines);
    if (!labels) continue;
    around_.shapes += lines;
    with_points_ -= lines;
    set.items[item].boxes = std::move(labels->boxes);
  }
}

void YoloShapes::add_to(std::vector<std::string>& remarks) const {
  around_.add_to(remarks);
  if (with_points_ > 0)
    remarks.push_back(counted(with_points_, "box has", "boxes have") +
                      " keypoints, which are left out");
}

}  // namespace letterpress::annotations
