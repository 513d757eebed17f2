#pragma once
#include <string>

#include "trainer/detection/detection.h"

namespace letterpress {

/// Corners of a box, in pixels.
struct CornerBox {
  double x1, y1, x2, y2;
};

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
  double (*factor)(const CornerBox& best, const CornerBox& box, double overlap);
};
/// Throws Error (usage) listing the known names, nearest first.
const SuppressionEntry& find_suppression(const std::string& name);

/// NaN where both are empty.
double intersection_over_union(const CornerBox& a, const CornerBox& b);

}  // namespace letterpress
