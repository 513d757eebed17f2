#pragma once
#include <string>
#include <vector>

namespace letterpress::annotations {

/// The file names that a picture may have whose label file is called `id` (without its extension),
/// the likeliest first. filename: as the label file states it, without folders; may be empty.
std::vector<std::string> picture_names_by_id(const std::string& id, const std::string& filename);

}  // namespace letterpress::annotations
