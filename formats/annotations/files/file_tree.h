#pragma once
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

class Archive;
struct ArchiveMember;

/// The files that a label reader sees: those on disk, and the members of an archive below its path
/// ("train.tar/cat/1.jpg"). A handle that is cheap to copy; the archive outlives it. Any number of
/// threads may use one.
class FileTree {
 public:
  FileTree() = default;  ///< the disk alone
  explicit FileTree(const Archive& archive) : archive_(&archive) {}
  const Archive* archive() const noexcept { return archive_; }  ///< nullptr: none

  /// Paths, from `folder`, of all files below it whose name ends in `extension` (empty: in that of
  /// a picture), sorted by bytes. Links to folders are followed, wherever they lead, but to what is
  /// read by another path; stores of Letterpress are left out. What systems and notebooks leave
  /// (is_left_by_a_system) is passed over. Adds to `set`, if there is one, what was passed over and
  /// which links were not followed. Throws Error with the folder that cannot be read.
  std::vector<std::string> files_below(const std::filesystem::path& folder,
                                       std::string_view extension,
                                       AnnotationSet* set = nullptr) const;
  /// The names of the files and folders in a folder, sorted by bytes; none where this user sees no
  /// folder. Like what follows it throws Error (io) where a disk or a server fails.
  std::vector<std::string> names_in(const std::filesystem::path& folder) const;
  /// Whether the folder itself, not one below it, holds such a file.
  bool holds_file(const std::filesystem::path& folder, std::string_view extension) const;

  bool exists(const std::filesystem::path& path) const;  ///< a file or a folder
  bool is_folder(const std::filesystem::path& path) const;
  /// Whether it is, or is behind, a symbolic link whose file or folder is not there.
  bool leads_nowhere(const std::filesystem::path& path) const;

  /// Where a file's bytes are: (path, 0, -1), or within the archive. Throws Error (no_input) when
  /// the archive has no such file.
  FileBytes bytes_of(const std::filesystem::path& path) const;
  /// Of a regular file. Throws Error otherwise, which tells by `fix` what to name instead.
  std::int64_t size_of(const std::filesystem::path& path,
                       const std::string& fix = "name a file") const;
  /// bytes <- the file, size_of() long. Throws Error when it cannot be read.
  void read(const std::filesystem::path& path, std::span<std::byte> bytes) const;
  /// Its first n bytes, or all when there are fewer.
  std::string read_head(const std::filesystem::path& path, std::int64_t n) const;
  /// The whole file. Throws Error when it cannot be read.
  std::string read_text(const std::filesystem::path& path) const;

  /// Why this is not a readable regular file, empty when it is: "is a folder, must be a file". No
  /// file: kMissing. Throws Error (io) when the disk fails.
  std::string file_fault(const std::string& path) const;

 private:
  const Archive* archive_of(const std::string& path, std::string& name) const;
  const ArchiveMember* member_at(const std::filesystem::path& path) const;

  const Archive* archive_ = nullptr;
};
inline constexpr std::string_view kMissing = "is missing";

}  // namespace letterpress::annotations
