#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>

#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// Pictures that were not found where the folder of their label file says. cam1/1.json and
/// cam2/1.json, both of "1.jpg", are not of the one 1.jpg that is there: where another label has
/// the same file, such a picture is called with its folders, by which a build tells them apart.
class NamesApart {
 public:
  /// item: its place in the set. whole: its name with the folders.
  void add(std::size_t item, std::string whole) { whole_.emplace(item, std::move(whole)); }
  /// Once all are read.
  void settle(AnnotationSet& set) const;

 private:
  std::unordered_map<std::size_t, std::string> whole_;
};

}  // namespace letterpress::annotations
