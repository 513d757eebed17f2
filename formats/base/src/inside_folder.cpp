#include "letterpress/base/inside_folder.h"

namespace letterpress {
namespace fs = std::filesystem;

bool is_inside(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  const fs::path relative =
      fs::weakly_canonical(path, error).lexically_relative(fs::weakly_canonical(folder, error));
  return !error && !relative.empty() && *relative.begin() != "..";
}

}  // namespace letterpress
