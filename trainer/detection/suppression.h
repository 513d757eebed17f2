#pragma once
#include <string>

#include "letterpress/base/extent.h"
#include "trainer/detection/detection.h"

namespace letterpress {

/// A variant of non-maximum suppression: how taking the best candidate lowers the score of another.
/// A new one is one file that ends in its entry, one line in the registry, and a test with values
/// from an independent program.
///   best     a picture's best candidate
///   box      another one of that picture
///   overlap  DetectionOptions::iou
/// Returns a factor from 0 (suppressed) to 1 (unchanged).
struct SuppressionEntry {
  const char* name;
  const char* help;
  bool across_classes;  ///< whether candidates of other classes are suppressed too
  double (*factor)(const Extent& best, const Extent& box, double overlap);
};
/// Throws Error (usage) listing the known names, nearest first.
const SuppressionEntry& find_suppression(const std::string& name);

}  // namespace letterpress
