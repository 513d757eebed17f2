#include "comment_lines.h"

#include <algorithm>

#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"
#include "names_by_id.h"

namespace letterpress::annotations {

bool CommentLines::passes_over(PictureFinder& finder, const std::string& name) {
  if (!name.starts_with('#') || finder.has_exactly(name)) return false;
  const bool is_id =
      !has_picture_extension(name) &&
      std::ranges::any_of(picture_names_by_id(name, ""),
                          [&](const std::string& file) { return finder.has_exactly(file); });
  if (is_id) return false;
  ++n_;
  return true;
}

void CommentLines::add_to(std::vector<std::string>& remarks) const {
  if (n_ == 0) return;
  remarks.push_back(counted(n_, "line of comment (#) is", "lines of comment (#) are") +
                    " passed over");
}

}  // namespace letterpress::annotations
