#include "trainer/metrics/by_class.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace letterpress {
namespace {

template <class T>
std::vector<const T*> pointers_to(const std::vector<T>& values, const std::string& what,
                                  int classes) {
  std::vector<const T*> pointers;
  pointers.reserve(values.size());
  for (const T& value : values) {
    if (value.class_id < 0 || value.class_id >= classes)
      throw std::logic_error(what + " of class " + std::to_string(value.class_id) + ", there are " +
                             std::to_string(classes) + " classes");
    pointers.push_back(&value);
  }
  return pointers;
}

/// The values of one class, which are adjacent from `first` on.
template <class T>
std::span<const T* const> run_of(const std::vector<const T*>& sorted, std::size_t& first,
                                 std::int32_t class_id) {
  const std::size_t begin = first;
  while (first < sorted.size() && sorted[first]->class_id == class_id) ++first;
  return std::span(sorted).subspan(begin, first - begin);
}

}  // namespace

bool ranks_before(double score, double other) {
  if (score != score) return false;
  return other != other || score > other;
}

ByClass::ByClass(const PictureResult& result, std::size_t picture, int classes)
    : ground_truths_(pointers_to(result.ground_truths,
                                 "picture " + std::to_string(picture) + ": a ground truth",
                                 classes)),
      found_(pointers_to(result.found, "picture " + std::to_string(picture) + ": a detection",
                         classes)) {
  std::stable_sort(
      ground_truths_.begin(), ground_truths_.end(),
      [](const GroundTruth* a, const GroundTruth* b) { return a->class_id < b->class_id; });
  std::stable_sort(found_.begin(), found_.end(), [](const Found* a, const Found* b) {
    return a->class_id != b->class_id ? a->class_id < b->class_id
                                      : ranks_before(a->score, b->score);
  });
  for (std::size_t ground_truth = 0, found = 0;
       ground_truth < ground_truths_.size() || found < found_.size();) {
    std::int32_t class_id = ground_truth < ground_truths_.size()
                                ? ground_truths_[ground_truth]->class_id
                                : found_[found]->class_id;
    if (found < found_.size()) class_id = std::min(class_id, found_[found]->class_id);
    const auto ground_truths_here = run_of(ground_truths_, ground_truth, class_id);
    classes_.push_back({class_id, ground_truths_here, run_of(found_, found, class_id)});
  }
}

}  // namespace letterpress
