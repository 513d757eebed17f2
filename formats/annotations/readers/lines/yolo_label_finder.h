#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/annotations/files/file_tree.h"
#include "formats/annotations/pictures/folder_names.h"

namespace letterpress::annotations {

/// The label files of pictures: as yolo_label_of() finds them, else by names that differ in case or
/// in how Unicode writes an accent, of the folder `labels` too. Of two label files or two pictures
/// that are alike none is taken. Lists each folder once. One thread at a time.
class YoloLabelFinder {
 public:
  explicit YoloLabelFinder(const FileTree& files) : files_(files), spellings_(files) {}
  /// picture: absolute. Empty: it has none.
  std::string find(const std::string& picture);
  /// Of the picture `name` in a folder of these bases, the first of them first.
  std::string find(const std::vector<std::filesystem::path>& bases, const std::string& name);
  /// A label file that is there and may be meant, for a picture without one; empty: none.
  std::string file_there(const std::string& picture);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  using Names = std::map<std::string, std::vector<std::string>>;  ///< by alike_name
  std::string find_alike(const std::string& picture);
  std::vector<std::string> label_folders(const std::string& picture);
  const Names& labels_in(const std::string& folder);
  const std::set<std::string>& pictures_like(const std::string& folder, const std::string& alike);

  FileTree files_;
  FolderNames spellings_;
  std::unordered_map<std::string, Names> labels_;
  std::unordered_map<std::string, std::map<std::string, std::set<std::string>>> pictures_;
  std::int64_t n_ = 0;  ///< pictures whose label file is spelt otherwise
  std::string first_;
};

}  // namespace letterpress::annotations
