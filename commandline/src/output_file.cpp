#include "letterpress/commandline/output_file.h"

#include <filesystem>

#include "letterpress/base/error.h"

namespace letterpress {

void check_output_file(const std::string& flag, const std::string& given, const std::string& wanted) {
  const std::filesystem::path file = std::filesystem::absolute(given);
  if (given.empty() || std::filesystem::is_directory(file)) {
    throw Error(flag + " " + given + ": is a folder; wanted the name of " + wanted, Exit::cannot_create);
  }
  if (!std::filesystem::is_directory(file.parent_path())) {
    throw Error(flag + " " + given + ": there is no folder " + file.parent_path().string() + "; make it, or name another file",
                Exit::cannot_create);
  }
}

}  // namespace letterpress
