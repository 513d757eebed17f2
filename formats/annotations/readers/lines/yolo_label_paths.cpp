#include "yolo_label_paths.h"

#include <algorithm>

#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;

std::vector<std::string> yolo_label_paths(const std::string& picture) {
  const std::string beside = std::string(without_extension(picture)) + ".txt";
  const std::size_t at = beside.rfind("/images/");
  if (at == std::string::npos) return {beside};
  return {beside.substr(0, at) + "/labels/" + beside.substr(at + 8), beside};
}

std::string with_ending(std::string path, std::string_view ending) {
  return path.replace(path.size() - ending.size(), ending.size(), ending);
}

std::string yolo_label_of(const FileTree& files, const std::string& picture) {
  for (const char* ending : {".txt", ".TXT", ".Txt"}) {
    for (const std::string& path : yolo_label_paths(picture)) {
      std::string label = with_ending(path, ending);
      if (files.file_fault(label) != kMissing || files.leads_nowhere(label)) return label;
    }
  }
  return {};
}

std::vector<fs::path> yolo_bases(const FileTree& files, const fs::path& folder) {
  const fs::path real = fs::weakly_canonical(folder);
  fs::path written = fs::absolute(folder).lexically_normal();
  if (!written.has_filename()) written = written.parent_path();
  if (files.archive() || written == real) return {real};
  return {written, real};
}

std::string yolo_label_of(const FileTree& files, const std::vector<fs::path>& bases,
                          const std::string& name) {
  for (const fs::path& base : bases) {
    std::string label = yolo_label_of(files, (base / name).string());
    if (!label.empty()) return label;
  }
  // Below the folder another one may be a link.
  const fs::path picture = bases.front() / name;
  if (files.archive() || !fs::path(name).has_parent_path()) return {};
  const fs::path real = fs::weakly_canonical(picture.parent_path()) / picture.filename();
  return real == bases.back() / name ? std::string() : yolo_label_of(files, real.string());
}

bool is_class_list(const fs::path& file) {
  return file.filename() == "classes.txt" || file.filename() == "labels.txt";
}

std::vector<std::string> yolo_label_files(const FileTree& files, const fs::path& folder,
                                          AnnotationSet* set) {
  std::vector<std::string> names = files.files_below(folder, ".txt", set);
  std::erase_if(names, is_class_list);
  std::ranges::sort(names);
  return names;
}

}  // namespace letterpress::annotations
