#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "picture_finder.h"

namespace letterpress::annotations {

/// Lines of comment, which begin with `#`, in a list of pictures: they are passed over, counted and
/// told.
class CommentLines {
 public:
  /// Whether a line that would name this picture, maybe without its extension, is a comment, which
  /// is then counted. The name of a picture may begin with `#`, too: where one is called exactly
  /// so, it is meant.
  bool passes_over(PictureFinder& finder, const std::string& name);
  void add(std::int64_t n) { n_ += n; }
  void add_to(std::vector<std::string>& remarks) const;

 private:
  std::int64_t n_ = 0;
};

}  // namespace letterpress::annotations
