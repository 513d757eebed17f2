#include "voc_ids.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {
namespace fs = std::filesystem;

bool is_class_column(std::string_view field) {
  return field == "-1" || field == "0" || field == "1";
}

}  // namespace

VocIdList read_voc_ids(std::string_view text, const std::string& list) {
  std::vector<std::pair<std::string_view, std::int64_t>> found;
  bool has_column = false, all_have_it = true;
  Lines lines(text);
  while (lines.next()) {
    found.emplace_back(lines.text(), lines.number());
    if (lines.text().starts_with('#')) continue;  // of a comment, maybe
    const std::size_t blank = lines.text().find_last_of(" \t");
    has_column = blank != std::string_view::npos && is_class_column(lines.text().substr(blank + 1));
    all_have_it = all_have_it && has_column;
  }
  VocIdList result{{}, has_column && all_have_it};
  for (auto [id, number] : found) {
    if (result.has_column) id = trim(id.substr(0, id.find_last_of(" \t")));
    if (id.ends_with(".xml") || has_picture_extension(id)) id = without_extension(id);
    result.ids.push_back({std::string(id), list + ":" + std::to_string(number)});
  }
  return result;
}

const char* voc_folder_of_ids(const FileTree& files, const fs::path& list, const VocIdList& ids) {
  const std::size_t n = std::min<std::size_t>(ids.ids.size(), 100);
  for (const char* place : {kVocXmls, "../Annotations", "Annotations", "."}) {
    const fs::path folder = folder_of(list) / place;
    for (std::size_t i = 0; i < n; ++i) {
      if (files.file_fault((folder / (ids.ids[i].id + ".xml")).string()).empty()) return place;
    }
  }
  return nullptr;
}

VocId voc_id_of_file(const std::string& file) {
  const std::string id(without_extension(file));
  return {.id = id, .where = {}, .ending = file.substr(id.size())};
}

bool is_annotations_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name == "Annotations" || name == "annotations";
}

fs::path voc_xml_folder_in(const FileTree& files, const fs::path& folder) {
  return files.is_folder(folder / "Annotations") ? folder / "Annotations" : folder;
}

}  // namespace letterpress::annotations
