#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/annotations/files/file_tree.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// Label files of a picture beside the one that is read, and those of other formats (.xml, .json)
/// of a picture that has none. Lists each folder once. One thread at a time.
class OtherLabels {
 public:
  explicit OtherLabels(const FileTree& files) : files_(files) {}
  /// Notes one that holds another text. paths: where the picture's label file may be; taken: which
  /// is read, empty: none, and one of another format is noted. A fault where the two are in one
  /// folder, a.txt and a.TXT: nothing says which is right.
  std::optional<Message> look(const std::vector<std::string>& paths, const std::string& taken);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  /// Names of label files by what they are without extension.
  using Labels = std::unordered_map<std::string, std::vector<std::string>>;
  struct Folder {
    Labels texts, others;
  };
  const Folder& labels_in(const std::string& folder);
  void note_other_format(const std::vector<std::string>& paths);

  FileTree files_;
  std::unordered_map<std::string, Folder> folders_;
  std::int64_t n_ = 0;  ///< pictures with a second one in another folder
  std::string first_;
  std::int64_t other_formats_ = 0;  ///< pictures with a label file of another format alone
  std::string first_other_format_;
};

}  // namespace letterpress::annotations
