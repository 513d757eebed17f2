#include "letterpress/base/control_groups.h"

#include <fstream>

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// "0::/a" of version 2, "4:cpu,cpuacct:/a" of version 1: below what name the mount has its groups.
std::vector<std::string> mounts_of(const std::string& controllers, const std::string& controller) {
  if (controllers.empty()) return {""};
  if (("," + controllers + ",").find("," + controller + ",") == std::string::npos) return {};
  return {controller, controllers};
}

}  // namespace

std::vector<fs::path> control_groups(const std::string& controller, const fs::path& root) {
  const fs::path mount = root / "sys/fs/cgroup";
  // A container may see its group at the mount though its path is the host's, which is not there.
  std::vector<fs::path> groups{mount};
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    for (const std::string& name :
         mounts_of(line.substr(first + 1, second - first - 1), controller)) {
      fs::path folder = fs::path(line.substr(second + 1)).relative_path().lexically_normal();
      if (!folder.empty() && *folder.begin() == "..") folder.clear();
      for (; !folder.empty(); folder = folder.parent_path())
        groups.push_back(mount / name / folder);
      groups.push_back(mount / name);
    }
  }
  return groups;
}

}  // namespace letterpress
