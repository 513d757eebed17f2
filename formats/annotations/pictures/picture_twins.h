#pragma once
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// Pictures of one folder whose names differ in their extensions alone, as 2.jpg and 2.png: a label
/// file that states none may mean either. Lists each folder once. One thread at a time.
class PictureTwins {
 public:
  explicit PictureTwins(const FileTree& files) : files_(files) {}
  /// Another file beside this one that one of `names` means, in the folder that it is in, with
  /// another extension than this one's; empty: none.
  std::string other_of(const std::string& path, std::span<const std::string> names);

 private:
  /// Names by what they are without extension, of those that are there twice.
  using Twins = std::unordered_map<std::string, std::vector<std::string>>;
  const Twins& twins_in(const std::string& folder);

  FileTree files_;
  std::unordered_map<std::string, Twins> folders_;
};

}  // namespace letterpress::annotations
