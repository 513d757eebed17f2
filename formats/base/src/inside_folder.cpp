#include "letterpress/base/inside_folder.h"

namespace letterpress {
namespace fs = std::filesystem;

bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  // What is not there would stay relative.
  const fs::path inner = fs::weakly_canonical(fs::absolute(path), error);
  if (error) return false;
  const fs::path relative =
      inner.lexically_relative(fs::weakly_canonical(fs::absolute(folder), error));
  return !error && !relative.empty() && *relative.begin() != "..";
}

}  // namespace letterpress
