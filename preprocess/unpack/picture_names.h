#pragma once
#include <string>
#include <vector>

#include "letterpress/base/hash.h"

namespace letterpress {

/// A picture's name in its label file, and what tells it from another of that name.
struct NamedPicture {
  std::string name;
  Hash128 hash;
};

/// Paths for files below one folder, one per picture, with `extension` (".png") in place of a
/// picture's own: what all share in front is left out, so are "..", "images" and "labels" (YOLO
/// finds labels by these words) and control characters; names that would be equal, in any case, get
/// eight digits of the hash.
std::vector<std::string> file_names(const std::vector<NamedPicture>& pictures,
                                    const std::string& extension);

}  // namespace letterpress
