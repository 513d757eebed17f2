#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/annotations/files/file_tree.h"
#include "formats/annotations/files/listed_files.h"
#include "lost_pictures.h"
#include "picture_twins.h"

namespace letterpress::annotations {

/// Turns a picture's name in a label file into a file that may be read. One thread at a time.
class PictureFinder {
 public:
  /// dataset: the folder below which pictures may be; folders: where it looks for relative names,
  /// in this order; then in options.roots. labels: the label file, whose name may hold that of a
  /// folder of pictures; empty: a folder.
  PictureFinder(const FileTree& files, const std::filesystem::path& dataset,
                const std::vector<std::filesystem::path>& folders, const AnnotationOptions& options,
                const std::filesystem::path& labels = {});

  /// The first n of `folders` are guesses: a picture there is rejected where one of other bytes is
  /// in another of them or in a folder of pictures near the labels.
  void guess_first(std::size_t n);

  /// The first regular file that one of `names` leads to, folder by folder, absolute and without
  /// `..`. Where none is there as written: the longest end of a name that leads to one from these
  /// folders or from a folder of pictures near them, with `\\` for `/`, %20 for a blank, in another
  /// case or Unicode form. Rejects: no such file, a file of that name in two roots, or of other
  /// bytes in two folders near the labels, two of `names` that differ in their extensions alone and
  /// are both there, a folder or FIFO, a place outside the dataset and roots, a name that is not
  /// UTF-8. A reject holds the picture's first name and the first place looked at. Throws Error
  /// when the disk fails.
  Expected<std::string> find(std::span<const std::string> names, const std::string& where);
  Expected<std::string> find(const std::string& name, const std::string& where) {
    return find(std::span(&name, 1), where);
  }
  /// The same, but a file that names.front() leads to as it is written comes before all others.
  Expected<std::string> find_stated(std::span<const std::string> names, const std::string& where);
  /// The same, but `earlier` counts only where no end of `names` leads to a file.
  Expected<std::string> find_renamed(std::vector<std::string> names, const std::string& earlier,
                                     const std::string& where);
  /// The same for a name as it is written only.
  Expected<std::string> find_as_written(std::span<const std::string> names,
                                        const std::string& where) const;

  /// Whether a picture of this name, letter by letter, is there, or in a folder of pictures near
  /// the labels.
  bool has_exactly(const std::string& name);

  /// The reject with the name and path of its picture: where `names` lead, or would lead first.
  Reject of_picture(Reject reject, std::span<const std::string> names) const;
  Reject of_picture(Reject reject, const std::string& name) const {
    return of_picture(std::move(reject), std::span(&name, 1));
  }

  /// The reject of a label that does not say which of two pictures it is of: 2.jpg or 2.png.
  Reject two_pictures(std::string_view one, std::string_view other,
                      std::span<const std::string> names, const std::string& where) const;

  /// What people should know of the pictures that `find` has found, or not.
  const FindNotes& notes() const noexcept { return lost_.notes(); }

  /// Whether pictures may be read below this absolute path.
  bool may_read(const std::filesystem::path& path) const;
  Reject outside(const std::string& where, const std::string& name, const std::string& path) const;

 private:
  struct SearchFolder {
    std::string path;  ///< absolute, without a slash at its end
    bool allowed;
  };
  struct Search;
  bool is_inside(std::string_view path) const;
  /// As FileTree's.
  std::string file_fault(const std::string& path) const;
  static std::string place_in(const SearchFolder* folder, const std::string& name);
  bool try_folder(const SearchFolder* folder, const std::string& name, Search& search) const;
  /// As it is written only.
  Search look_up(std::span<const std::string> names) const;
  /// What becomes of a search: the picture, one that lies elsewhere, or a reject.
  Expected<std::string> settle(const Search& search, std::span<const std::string> names,
                               const std::string& where);
  Reject missing(const Search& search, std::span<const std::string> names,
                 const std::string& where) const;
  std::string in_other_root(const Search& search) const;
  std::string in_other_guess(const Search& search);

  FileTree files_;
  std::string dataset_;
  std::vector<std::string> roots_;
  std::vector<std::string> inside_;  ///< both, as they are written and without links
  bool allow_outside_;
  std::vector<SearchFolder> folders_;  ///< the roots last
  std::vector<std::string> guesses_;   ///< of these, the first
  /// By folder: resolving links is slow.
  mutable std::unordered_map<std::string, bool> allowed_parents_;
  mutable ListedFiles listed_;
  LostPictures lost_;
  PictureTwins twins_;
};

/// Which of `names` leads to a file: the one with its last part, else the first.
const std::string& name_of(std::string_view path, std::span<const std::string> names);

/// Whether the name joined to a folder is a path below it without further work; all other names
/// need lexically_normal, which is slow.
bool stays_below(std::string_view name);

}  // namespace letterpress::annotations
