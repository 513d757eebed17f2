#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Pictures that lie beside those of the label files and that none of these names: nobody has
/// labelled them, their label file is lost, or the lists that are read leave them out. A picture
/// that is called as a named one but for its extension may be its mask, unless it is a JPEG, and
/// does not count. The same within archives, folder by folder.
struct UnnamedPictures {
  std::int64_t n = 0;
  std::string first{};  ///< path, the first by name
  /// Of folders among those of named pictures (c in images/a, images/b, images/c, and images/
  /// itself; test/images beside train/images and valid/images): a new camera's, masks, or a split
  /// that nothing states. They are not among n.
  std::map<std::string, std::int64_t> in_other_folders{};
  void add(std::string path);
};
/// unpacked: as AnnotationOptions has it.
UnnamedPictures unnamed_pictures(const Inputs& inputs, const std::filesystem::path& unpacked);

}  // namespace letterpress
