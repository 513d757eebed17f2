#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "letterpress/base/detection_defaults.h"
#include "letterpress/base/entry_info.h"
#include "letterpress/base/limits.h"

namespace letterpress {

/// A found object, in pixels of the frame or of the source picture, as the owner says.
struct Detection {
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  float score = 0;
  std::int32_t class_id = 0;
  bool operator==(const Detection&) const = default;
};

struct DetectionOptions {
  float confidence = kCountedConfidence;  ///< lower scores are dropped: for evaluation;
                                          ///< kDefaultConfidence for people
  float iou = kDefaultIou;                     ///< suppression above this overlap
  int max_detections = kDefaultMaxDetections;  ///< per picture, best first
  int max_candidates = 30000;  ///< per picture: candidates for suppression, best first; a box
                               ///< counts once per class above `confidence`
  std::string suppression = "class";  ///< name in the table of suppressions (suppression.h):
                                      ///< agnostic where a thing has one class
  std::vector<float>
      class_confidence{};  ///< one per class in place of `confidence`; empty: the same for all
};
inline constexpr Limits kConfidenceLimits = kUnderOne, kIouLimits = kOverZeroToOne;

std::vector<EntryInfo> suppression_infos();
/// Throws Error (exit usage) that names the field, its value and the limits.
void validate(const DetectionOptions& options);

}  // namespace letterpress
