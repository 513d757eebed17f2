#include "picture_twins.h"

#include <algorithm>
#include <utility>

#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
const PictureTwins::Twins& PictureTwins::twins_in(const std::string& folder) {
  const auto [entry, is_new] = folders_.try_emplace(folder);
  if (!is_new) return entry->second;
  std::unordered_map<std::string_view, std::string_view> first;
  const std::vector<std::string> names = files_.names_in(folder);
  for (const std::string& name : names) {
    if (!has_picture_extension(name)) continue;
    const auto [known, alone] = first.try_emplace(without_extension(name), name);
    if (alone) continue;
    std::vector<std::string>& twins = entry->second[std::string(known->first)];
    if (twins.empty()) twins.emplace_back(known->second);
    twins.push_back(name);
  }
  return entry->second;
}

std::string PictureTwins::other_of(const std::string& path, std::span<const std::string> names) {
  const std::string_view own = last_part(path);
  const auto means_another = [&](std::string_view name) {
    return name != own && without_extension(name) == without_extension(own);
  };
  if (std::ranges::none_of(names, means_another, last_part)) return {};
  const std::string folder = path.substr(0, path.size() - own.size());
  const Twins& twins = twins_in(folder);
  const auto known = twins.find(std::string(without_extension(own)));
  if (known == twins.end()) return {};
  for (const std::string& twin : known->second) {
    if (twin != own && std::ranges::find(names, twin, last_part) != names.end() &&
        files_.file_fault(folder + twin).empty())
      return folder + twin;
  }
  return {};
}

}  // namespace letterpress::annotations
