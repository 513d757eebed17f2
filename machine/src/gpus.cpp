#include "letterpress/machine/gpus.h"

#include <fstream>
#include <string_view>

#include "letterpress/base/folder.h"

namespace letterpress {

std::vector<std::string> gpus_of_driver(const std::filesystem::path& folder) {
  constexpr std::string_view kModel = "Model:";
  std::vector<std::string> names;
  if (!std::filesystem::is_directory(folder)) return names;
  for (const std::filesystem::path& gpu : entries_of(folder)) {
    std::ifstream lines(gpu / "information");
    for (std::string line; std::getline(lines, line);) {
      const std::size_t name = line.find_first_not_of(" \t", kModel.size());
      if (line.starts_with(kModel) && name != std::string::npos) names.push_back(line.substr(name));
    }
  }
  return names;
}

}  // namespace letterpress
