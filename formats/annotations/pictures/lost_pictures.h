#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "find_notes.h"
#include "folder_names.h"
#include "formats/annotations/files/file_tree.h"
#include "nearby_pictures.h"

namespace letterpress::annotations {

/// Where a picture is that is not where its name leads as written.
struct FoundPicture {
  std::string path{};  ///< empty: nowhere
  /// Another file of other bytes that it may be as well; empty: none.
  std::string other{};
  bool nearby = false;  ///< in a folder of pictures near the labels
};

/// Pictures that are not where their names lead as written: another machine's path, `\` for `/`,
/// %20 for a blank, another case or Unicode form, or a folder of pictures near the labels. One
/// thread at a time.
class LostPictures {
 public:
  /// folders: absolute, in the order of the search; the first `owned` are the labels' own, near
  /// which pictures may lie. labels: the label file's name; empty: a folder. dataset: around which
  /// messages look for what is nowhere else.
  LostPictures(const FileTree& files, std::vector<std::string> folders, std::size_t owned,
               std::string labels, std::string dataset);

  /// The file that the longest end of one of `names` leads to.
  FoundPicture find(std::span<const std::string> names);
  /// Whether the whole of a name, letter by letter, leads to a file.
  bool has_exactly(const std::string& name);
  /// Whether an end of one of `names` leads to a file.
  bool has(std::span<const std::string> names);
  /// Another file of other bytes that `name` leads to, in `folders` or in a folder of pictures near
  /// the labels; empty: none.
  std::string other_of(const std::string& found, const std::string& name,
                       std::span<const std::string> folders);
  /// Whether a path leads into a folder of pictures near the labels.
  bool lies_near(std::string_view path);
  /// Notes a picture that is nowhere.
  void note_lost(const std::string& name);

  const FindNotes& notes() const noexcept { return notes_; }

 private:
  void look_near();
  std::string file_in(const std::string& folder, std::string_view end);
  FoundPicture find_end(std::string_view end);
  struct End {
    FoundPicture found{};
    std::string name{}, whole{},
        end{};  ///< which of the names, as a path, and what of it leads there
  };
  End longest_end(std::span<const std::string> names);
  void note(const std::string& name, std::string_view whole, std::string_view end,
            const FoundPicture& found);

  FileTree files_;
  std::vector<std::string> folders_;
  std::size_t owned_;
  std::string labels_, dataset_;
  bool looked_near_ = false;
  std::vector<std::vector<std::string>> near_;  ///< those in one group are equally likely
  FolderNames spellings_;
  std::unique_ptr<NearbyPictures> elsewhere_;
  FindNotes notes_;
};

}  // namespace letterpress::annotations
