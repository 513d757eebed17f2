#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace letterpress {

/// x and y of the left upper corner, width, height: source pixels, pixel i covers [i, i+1).
struct CocoBox {
  double x = 0, y = 0, width = 0, height = 0;
  bool operator==(const CocoBox&) const = default;
};

/// One detection of a results file (cocodataset.org/#format-results, kind "bbox").
struct CocoResult {
  std::int64_t image_id = -1, category_id = -1;
  CocoBox box{};
  double score = 0;
  /// File name, if the file has a text as image_id, or file_name instead; then image_id is -1.
  std::string image{};
  /// Class name, if the file has a text as category_id; then category_id is -1.
  std::string category{};
  bool operator==(const CocoResult&) const = default;
};

/// Ground truth that detections are measured against (cocodataset.org/#format-data, the fields that
/// count for boxes).
struct CocoGroundTruth {
  struct Image {
    std::int64_t id = 0;
    std::string file_name{};
    std::int32_t width = 0, height = 0;  ///< pixels; 0: not stated
    bool operator==(const Image&) const = default;
  };
  struct Category {
    std::int64_t id = 0;
    std::string name{};
    bool operator==(const Category&) const = default;
  };
  struct Annotation {
    std::int64_t image_id = 0, category_id = 0;
    CocoBox box{};
    double area = 0;  ///< as stated; width * height if not stated
    bool crowd = false;
    bool difficult = false;  ///< our own key, for VOC's metrics; others ignore it
    double score = -1;       ///< of a label that a model made, our own key too; -1: none
    bool operator==(const Annotation&) const = default;
  };
  std::vector<Image> images{};
  std::vector<Category> categories{};
  std::vector<Annotation> annotations{};
  bool operator==(const CocoGroundTruth&) const = default;
};

/// All of a file, in its order: a list, or a data set whose annotations have scores, as `predict
/// --format coco` writes it; then pictures and classes are named. Throws Error naming file, entry
/// and field when a value is missing or of another type; fields that do not count for boxes may be
/// anything.
std::vector<CocoResult> read_coco_results(const std::filesystem::path& file);
/// The same; an id that two images or two categories have, and an annotation of an unknown image or
/// category, is an Error too.
CocoGroundTruth read_coco_ground_truth(const std::filesystem::path& file);

/// Written whole or not at all; an existing file is replaced. Every number reads back as the same
/// double. Annotations are numbered from 1.
void write_coco_results(const std::filesystem::path& file, std::span<const CocoResult> results);
void write_coco_ground_truth(const std::filesystem::path& file,
                             const CocoGroundTruth& ground_truth);

}  // namespace letterpress
