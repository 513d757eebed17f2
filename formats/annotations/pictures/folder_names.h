#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// A name as it is compared where spellings differ: in small letters, accents as one character
/// (Unicode's case folding and NFC, by utf8proc). As it is where it is not UTF-8.
std::string alike_name(std::string_view name);

/// Finds paths that are spelt otherwise on this disk: in another case, with accents as one
/// character or two. Lists each folder once. One thread at a time.
class FolderNames {
 public:
  explicit FolderNames(const FileTree& files) : files_(files) {}
  /// What `path` leads to from `folder`; a part that is there as written comes first. Empty: there
  /// is nothing, or a part could be either of two.
  std::string find(const std::string& folder, std::string_view path);

 private:
  struct Names {
    std::unordered_set<std::string> written;
    std::unordered_map<std::string, std::string> alike;  ///< empty: of two
  };
  const Names& names_of(const std::string& folder);

  FileTree files_;
  std::unordered_map<std::string, Names> folders_;
};

}  // namespace letterpress::annotations
