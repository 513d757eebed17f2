#include "voc_ids.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "formats/annotations/files/input.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace {
namespace fs = std::filesystem;

bool is_class_column(std::string_view field) {
  return field == "-1" || field == "0" || field == "1";
}

// Of "a.jpg a.xml", as PaddleDetection lists pictures, the XML; of any other line all.
std::string_view xml_of_pair(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  for (std::size_t at = line.find_first_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_of(kBlanks, at + 1)) {
    const std::string_view rest = trim(line.substr(at));
    if (rest.ends_with(".xml") && has_picture_extension(line.substr(0, at))) return rest;
  }
  return line;
}

// What of a path is below the last folder of XMLs or pictures in it: "./JPEGImages/a/1" -> "a/1".
// Empty: all of it.
std::string below_folders(const std::string& id) {
  if (id.starts_with('#')) return {};
  std::string path = id;
  std::ranges::replace(path, '\\', '/');
  path = fs::path(path).lexically_normal().generic_string();
  std::size_t start = 0, part = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', part)) {
    const std::string name = path.substr(part, slash - part);
    part = slash + 1;
    if (is_annotations_folder(name) || is_word_for_pictures(in_small_letters(name))) start = part;
  }
  path.erase(0, start);
  return path == id ? "" : path;
}

bool has_xml(const FileTree& files, const fs::path& folder, const std::string& id) {
  return files.file_fault((folder / (id + ".xml")).string()).empty();
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
  VocIdList result{.ids = {}, .has_column = has_column && all_have_it};
  for (auto [id, number] : found) {
    if (result.has_column) id = trim(id.substr(0, id.find_last_of(" \t")));
    if (!id.starts_with('#')) id = xml_of_pair(id);
    const bool is_picture = has_picture_extension(id);
    if (is_picture && id.find('/') != std::string_view::npos) result.has_picture_paths = true;
    if (id.ends_with(".xml") || is_picture) id = without_extension(id);
    result.ids.push_back({std::string(id), list + ":" + std::to_string(number)});
  }
  return result;
}

const char* voc_folder_of_ids(const FileTree& files, const fs::path& list, const VocIdList& ids) {
  const std::size_t n = std::min<std::size_t>(ids.ids.size(), 100);
  struct Try {
    const char* place;
    bool by_end;  // of the ids' paths, which may be another set's: late for places above the list
  };
  for (const auto& [place, by_end] :
       {Try{kVocXmls, false}, Try{"../Annotations", false}, Try{"Annotations", false},
        Try{"Annotations", true}, Try{".", false}, Try{kVocXmls, true}, Try{"../Annotations", true},
        Try{".", true}}) {
    const fs::path folder = folder_of(list) / place;
    for (std::size_t i = 0; i < n; ++i) {
      const std::string id = by_end ? below_folders(ids.ids[i].id) : ids.ids[i].id;
      if (!id.empty() && has_xml(files, folder, id)) return place;
    }
  }
  return nullptr;
}

void take_ids_below_folders(const FileTree& files, const fs::path& folder, VocIdList& ids) {
  for (VocId& id : ids.ids) {
    std::string below = below_folders(id.id);
    if (!below.empty() && !has_xml(files, folder, id.id)) id.id = std::move(below);
  }
}

VocId voc_id_of_file(const std::string& file) {
  const std::string id(without_extension(file));
  return {.id = id, .where = {}, .ending = file.substr(id.size())};
}

bool is_annotations_folder(const fs::path& folder) {
  constexpr std::array<std::string_view, 6> kNames{"annotations", "annotation", "labels",
                                                   "label",       "xml",        "xmls"};
  return std::ranges::count(kNames, in_small_letters(folder.filename().string())) > 0;
}

fs::path voc_xml_folder_in(const FileTree& files, const fs::path& folder) {
  return files.is_folder(folder / "Annotations") ? folder / "Annotations" : folder;
}

}  // namespace letterpress::annotations
