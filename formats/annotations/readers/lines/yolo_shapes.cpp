#include "yolo_shapes.h"

#include <deque>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

void YoloShapes::add(const YoloLabels& labels, std::size_t item, const std::string& file) {
  around_.shapes += labels.outlines;
  if (labels.tracks > 0) {
    tracks_.push_back(
        {item, printable(file, 1000) + ":" + std::to_string(labels.first_track), labels.tracks});
  }
  with_points_ += labels.with_points;
  if (labels.either > 0) either_.push_back({item, file, labels.either});
  if (point_fields_ > 0 || labels.point_fields == 0) return;
  point_fields_ = labels.point_fields;
  point_file_ = file;
}

std::int64_t YoloShapes::track_lines() const {
  std::int64_t lines = 0;
  for (const Track& track : tracks_) lines += track.lines;
  return lines;
}

bool YoloShapes::are_tracks() const {
  // A set of outlines has more corners than three in most lines.
  return !tracks_.empty() && around_.shapes - track_lines() <= track_lines();
}

void YoloShapes::reject_tracks(AnnotationSet& set) {
  around_.shapes -= track_lines();
  auto track = tracks_.begin();
  std::deque<Item> kept;
  for (std::size_t i = 0; i < set.items.size(); ++i) {
    Item& item = set.items[i];
    if (track == tracks_.end() || track->item != i) {
      kept.push_back(std::move(item));
      continue;
    }
    const auto boxes = static_cast<std::int64_t>(item.boxes.size());
    set.boxes_found -= boxes;  // reject_picture counts them
    Reject reject{{.where = track->where,
                   .what = "looks like class, box, confidence and the number of a track",
                   .fix = "write class, centre x, centre y, width, height (were it three corners, "
                          "write numbers such as 1 as 1.0)"}};
    reject_picture(set, of_picture(std::move(reject), item), boxes, item.split);
    ++track;
  }
  set.items = std::move(kept);
}

void YoloShapes::settle(const FileTree& files, const YoloDataset& dataset, AnnotationSet& set) {
  if (are_tracks()) reject_tracks(set);
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
  if (!tracks_.empty() && !are_tracks())
    remarks.push_back(counted(track_lines(), "line is", "lines are") +
                      " read as three corners that may be a box, a confidence and the number of a "
                      "track, the first " +
                      tracks_.front().where);
  if (with_points_ > 0)
    remarks.push_back(counted(with_points_, "box has", "boxes have") +
                      " keypoints, which are left out");
}

}  // namespace letterpress::annotations
