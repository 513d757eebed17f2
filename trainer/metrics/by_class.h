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
  std::span<const Found* const> found{};  ///< by descending score; equal scores in the order given,
                                          ///< a score that is no number last
};

/// A picture's ground truths and detections class by class. Owns the lists that its classes look
/// at; the picture must outlive it.
class ByClass {
 public:
  /// picture: which of the list it is, for the message. Throws std::logic_error when something is
  /// of no class in 0..classes-1.
  ByClass(const PictureResult& result, std::size_t picture, int classes);
  ByClass(const ByClass&) = delete;
  ByClass& operator=(const ByClass&) = delete;

  /// Ascending; those without ground truth and detection are left out.
  const std::vector<ClassOfPicture>& classes() const noexcept { return classes_; }

 private:
  std::vector<const GroundTruth*> ground_truths_;
  std::vector<const Found*> found_;
  std::vector<ClassOfPicture> classes_;
};

/// Scores descending; a score that is no number ranks last, as numpy sorts it.
bool ranks_before(double score, double other);

}  // namespace letterpress
