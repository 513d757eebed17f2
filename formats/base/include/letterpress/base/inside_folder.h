#pragma once
#include <filesystem>

namespace letterpress {

/// Whether `path` is `folder` or lies in it, links followed. Neither need be there. Where a link
/// leads in a circle it is not inside.
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace letterpress
