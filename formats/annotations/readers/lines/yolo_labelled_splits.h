#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "letterpress/annotations/annotations.h"
#include "yolo_label_finder.h"

namespace letterpress::annotations {

/// How many pictures of each split have a label file. A set without a single one has a wrong
/// layout, it is not a set of backgrounds; nor is its train split, beside others that have some. Of
/// these it is told, as pictures of a test are often published without.
class YoloLabelledSplits {
 public:
  /// A picture whose label file is looked for, whatever becomes of it.
  void see(const std::string& split, const std::string& picture);
  void count(const std::string& split, bool has_label_file);
  /// Once all are counted. finder: tells a label file that may be meant. Throws Error naming the
  /// first picture, what was tried and what is there.
  void check(YoloLabelFinder& finder, AnnotationSet& set) const;

 private:
  struct Split {
    std::int64_t pictures = 0, labelled = 0;
    std::string first{};
  };
  std::map<std::string, Split> splits_;
};

}  // namespace letterpress::annotations
