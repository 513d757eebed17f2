#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "trainer/metrics/picture_result.h"

namespace letterpress {

/// One class of one picture.
struct ClassOfPicture {
  std::int32_t class_id = 0;
  std::span<const GroundTruth* const> ground_truths{};  ///< in the order given
  std::span<const Found* const>
      found{};  ///< by descending score; equal scores in the order given, NaN last
};

/// A picture's ground truths and detections, class by class. Owns the lists that the classes refer
/// to; the picture must outlive it.
class ByClass {
 public:
  /// picture: its index in the list, for the message. Throws std::logic_error for a class outside
  /// 0..classes-1.
  ByClass(const PictureResult& result, std::size_t picture, int classes);
  ByClass(const ByClass&) = delete;
  ByClass& operator=(const ByClass&) = delete;

  /// Ascending, without classes that have neither ground truth nor detection.
  const std::vector<ClassOfPicture>& classes() const noexcept { return classes_; }

 private:
  std::vector<const GroundTruth*> ground_truths_;
  std::vector<const Found*> found_;
  std::vector<ClassOfPicture> classes_;
};

/// Scores descending; NaN ranks last, as in numpy.
bool ranks_before(double score, double other);

}  // namespace letterpress
