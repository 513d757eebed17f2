#include "yolo_label_finder.h"

#include <algorithm>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/picture_extension.h"
#include "yolo_label_paths.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

std::string folder_holding(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string stem_of(const std::string& path) {
  return std::string(without_extension(last_part(path)));
}

// Where the last folder of a path that is called images, in any case, begins with its slash.
std::size_t place_of_images(const std::string& path) {
  return in_small_letters(path).rfind("/images/");
}

}  // namespace

std::string YoloLabelFinder::find(const std::string& picture) {
  std::string label = yolo_label_of(files_, picture);
  return label.empty() ? find_alike(picture) : label;
}

std::string YoloLabelFinder::find(const std::vector<fs::path>& bases, const std::string& name) {
  std::string label = yolo_label_of(files_, bases, name);
  for (const fs::path& base : bases) {
    if (label.empty()) label = find_alike((base / name).string());
  }
  return label;
}

std::string YoloLabelFinder::find_alike(const std::string& picture) {
  const std::string alike = alike_name(stem_of(picture));
  for (const std::string& folder : label_folders(picture)) {
    const Names& labels = labels_in(folder);
    const auto own = labels.find(alike);
    if (own == labels.end()) continue;
    if (own->second.size() > 1 || pictures_like(folder_holding(picture), alike).size() > 1)
      return {};
    std::string label = folder + "/" + own->second.front();
    if (n_++ == 0) first_ = printable(picture, 1000) + ", has " + printable(label, 1000);
    return label;
  }
  return {};
}

// That of labels as it is spelt, if there is one, and the picture's own.
std::vector<std::string> YoloLabelFinder::label_folders(const std::string& picture) {
  std::vector<std::string> folders;
  const std::string own = folder_holding(picture);
  if (const std::size_t at = place_of_images(picture); at != std::string::npos) {
    const std::string below = (own + "/").substr(at + std::string_view("/images/").size());
    std::string labels =
        spellings_.find(at == 0 ? "/" : picture.substr(0, at), without_slash("labels/" + below));
    if (!labels.empty() && files_.is_folder(labels)) folders.push_back(std::move(labels));
  }
  folders.push_back(own);
  return folders;
}

const YoloLabelFinder::Names& YoloLabelFinder::labels_in(const std::string& folder) {
  const auto [known, is_new] = labels_.try_emplace(folder);
  if (!is_new) return known->second;
  for (std::string& name : files_.names_in(folder)) {
    if (matches(name, ".txt") && !is_left_by_a_system(name) && !is_class_list(name))
      known->second[alike_name(without_extension(name))].push_back(std::move(name));
  }
  return known->second;
}

// Names without extension: 2.jpg and 2.png have one label file.
const std::set<std::string>& YoloLabelFinder::pictures_like(const std::string& folder,
                                                            const std::string& alike) {
  const auto [known, is_new] = pictures_.try_emplace(folder);
  if (is_new) {
    for (const std::string& name : files_.names_in(folder)) {
      if (matches(name, "") && !is_left_by_a_system(name))
        known->second[alike_name(without_extension(name))].insert(stem_of(name));
    }
  }
  return known->second[alike];
}

std::string YoloLabelFinder::file_there(const std::string& picture) {
  const std::string alike = alike_name(stem_of(picture));
  const std::vector<std::string> folders = label_folders(picture);
  std::string other;
  for (const std::string& folder : folders) {
    for (const auto& [name, files] : labels_in(folder)) {
      const std::string file = folder + "/" + files.front();
      if (name == alike || name.starts_with(alike + ".")) return file;  // 1.jpg.txt
      if (other.empty() && folder != folders.back()) other = file;
    }
  }
  const std::size_t at = place_of_images(picture);
  const std::string above =
      at == std::string::npos ? folder_holding(folders.back()) : picture.substr(0, at);
  for (const std::string& name : files_.names_in(above)) {
    const std::string folder = above + "/" + name;
    if (is_left_by_a_system(name + "/") || !files_.is_folder(folder)) continue;
    const Names& labels = labels_in(folder);
    const auto own = labels.find(alike);
    if (own != labels.end()) return folder + "/" + own->second.front();
  }
  return other;
}

void YoloLabelFinder::add_to(std::vector<std::string>& remarks) const {
  if (n_ == 0) return;
  remarks.push_back(counted(n_, "picture has a label file", "pictures have label files") +
                    " whose path differs in case or in how Unicode writes an accent: the first, " +
                    first_);
}

}  // namespace letterpress::annotations
