#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// The folders of pictures that people put beside a folder of labels: images, JPEGImages, IMAGES,
/// data and the like in it or beside it, images/train for labels/train, and Validation_Images for
/// labels that are called validation, too. For a label file also the folders there that its name
/// holds: train2017 for instances_train2017.json. Absolute as `folder`. labels: the label file's
/// name; empty: a folder. The likelier come first; those in one group are equally likely.
std::vector<std::vector<std::string>> picture_folders_near(const FileTree& files,
                                                           const std::string& folder,
                                                           std::string_view labels);

/// Where files of a name lie around a dataset, for messages: no label file leads there. Looks
/// through the first 10,000 names of the folder and then, where few things are beside it, of these.
class NearbyPictures {
 public:
  NearbyPictures(const FileTree& files, const std::string& folder);
  /// The folders that hold a file of this name, however it is spelt, each once: the dataset's own
  /// first, and of these the nearest.
  std::vector<std::string> folders_of(const std::string& name) const;

 private:
  /// known: a folder that has been looked through.
  void look_through(const FileTree& files, const std::string& folder, const std::string& known);

  std::unordered_map<std::string, std::vector<std::string>> folders_;
};

}  // namespace letterpress::annotations
