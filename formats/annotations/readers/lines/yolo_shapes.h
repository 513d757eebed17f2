#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/annotations/files/file_tree.h"
#include "formats/annotations/shared/shapes.h"
#include "yolo_dataset.h"
#include "yolo_labels.h"

namespace letterpress::annotations {

/// What the longer lines of a YOLO set are, outlines or boxes with keypoints: the same in all its
/// files, as in Ultralytics' tasks.
class YoloShapes {
 public:
  /// Notes what the label file of set.items[item] holds.
  void add(const YoloLabels& labels, std::size_t item, const std::string& file);
  /// Once all are read. Lines that may be both become outlines where another line of the set is
  /// one; what may be a tracker's lines does where most outlines are surely some, else its
  /// pictures are rejected. Throws Error when the set has outlines beside boxes with keypoints.
  void settle(const FileTree& files, const YoloDataset& dataset, AnnotationSet& set);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  std::int64_t track_lines() const;
  bool are_tracks() const;
  void reject_tracks(AnnotationSet& set);

  AroundCounts around_;
  struct Track {
    std::size_t item;
    std::string where;  // its first line
    std::int64_t lines;
  };
  std::vector<Track> tracks_;
  std::int64_t with_points_ = 0;
  std::size_t point_fields_ = 0;  // of the first line with keypoints that cannot be an outline
  std::string point_file_;
  struct Either {
    std::size_t item;
    std::string file;
    std::int64_t lines;
  };
  std::vector<Either> either_;
};

}  // namespace letterpress::annotations
