#include "folder_names.h"

#include <utf8proc.h>

#include <cstdlib>
#include <utility>

#include "formats/annotations/files/text.h"

namespace letterpress::annotations {

std::string alike_name(std::string_view name) {
  utf8proc_uint8_t* bytes = nullptr;
  const auto length = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(name.data()),
      static_cast<utf8proc_ssize_t>(name.size()), &bytes,
      static_cast<utf8proc_option_t>(UTF8PROC_CASEFOLD | UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  if (length < 0) return std::string(name);
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
  std::free(bytes);
  return text;
}

const FolderNames::Names& FolderNames::names_of(const std::string& folder) {
  const auto [entry, is_new] = folders_.try_emplace(folder);
  if (!is_new) return entry->second;
  for (std::string& name : files_.names_in(folder)) {
    const auto [alike, first] = entry->second.alike.try_emplace(alike_name(name), name);
    if (!first) alike->second.clear();
    entry->second.written.insert(std::move(name));
  }
  return entry->second;
}

std::string FolderNames::find(const std::string& folder, std::string_view path) {
  std::string place = folder == "/" ? "" : folder;
  while (!path.empty()) {
    const std::string part(take_until(path, '/'));
    const Names& names = names_of(place.empty() ? "/" : place);
    if (names.written.contains(part)) {
      place += "/" + part;
      continue;
    }
    const auto alike = names.alike.find(alike_name(part));
    if (alike == names.alike.end() || alike->second.empty()) return {};
    place += "/" + alike->second;
  }
  return place;
}

}  // namespace letterpress::annotations
