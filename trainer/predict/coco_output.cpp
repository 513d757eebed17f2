#include "letterpress/detections/coco.h"
#include "trainer/predict/output_format.h"

namespace letterpress {
namespace {

/// Ids count pictures and classes from 1.
class CocoWriter : public OutputWriter {
 public:
  explicit CocoWriter(const OutputOptions& options) : file_(options.out / "instances.json") {
    std::int64_t id = 0;
    for (const std::string& name : options.classes)
      ground_truth_.categories.push_back({++id, name});
  }

  void add(const PictureFindings& findings) override {
    const std::int64_t id = static_cast<std::int64_t>(ground_truth_.images.size()) + 1;
    ground_truth_.images.push_back(
        {id, findings.picture.name.generic_string(), findings.width, findings.height});
    for (const Detection& one : findings.detections) {
      const double x = one.x1, y = one.y1, width = one.x2 - x, height = one.y2 - y;
      ground_truth_.annotations.push_back({.image_id = id,
                                           .category_id = one.class_id + 1,
                                           .box = {x, y, width, height},
                                           .area = width * height,
                                           .score = one.score});
    }
  }

  std::filesystem::path finish() override {
    write_coco_ground_truth(file_, ground_truth_);
    return file_;
  }

 private:
  std::filesystem::path file_;
  CocoGroundTruth ground_truth_;
};

}  // namespace

extern constinit const OutputFormatEntry coco_output{
    "coco",
    "instances.json: a COCO data set of the pictures, each annotation with its score, which "
    "`build` "
    "reads with --root PICTURES; drawn pictures in drawn/",
    false,
    "drawn",
    [](const OutputOptions& options) -> std::unique_ptr<OutputWriter> {
      return std::make_unique<CocoWriter>(options);
    },
    true,
    false,
    "instances.json"};

}  // namespace letterpress
