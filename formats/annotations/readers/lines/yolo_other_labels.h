#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/annotations/files/file_tree.h"
#include "letterpress/base/error.h"

namespace letterpress::annotations {

/// Label files of a picture beside the one that is read. Lists each folder once. One thread at a
/// time.
class OtherLabels {
 public:
  explicit OtherLabels(const FileTree& files) : files_(files) {}
  /// Notes one that holds another text. paths: where the picture's label file may be; taken: which
  /// is read, empty: none. A fault where the two are in one folder, a.txt and a.TXT: nothing says
  /// which is right.
  std::optional<Message> look(const std::vector<std::string>& paths, const std::string& taken);
  void add_to(std::vector<std::string>& remarks) const;

 private:
  /// Names of label files by what they are without extension.
  using Labels = std::unordered_map<std::string, std::vector<std::string>>;
  const Labels& labels_in(const std::string& folder);

  FileTree files_;
  std::unordered_map<std::string, Labels> folders_;
  std::int64_t n_ = 0;  ///< pictures with a second one in another folder
  std::string first_;
};

}  // namespace letterpress::annotations
