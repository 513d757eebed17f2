#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/reject.h"

namespace letterpress::annotations {

/// One file of an archive and where its bytes are within it.
struct ArchiveMember {
  std::string name;  ///< without "./", no "..", as a path below the archive
  std::int64_t offset = 0, length = 0;
};

/// The table of a tar archive; nothing is extracted. ustar and pax (POSIX.1-2017, `pax`), GNU tar's
/// long names and large sizes, V7. Hard links lead to the bytes that they name. Immutable, so any
/// number of threads may read it.
class Archive {
 public:
  /// Throws Error (data) naming the byte when the archive is cut or damaged.
  explicit Archive(const std::filesystem::path& path);

  const std::string& real_path() const noexcept { return real_; }
  /// By name; of two members of one name the later, as tar does it.
  const std::vector<ArchiveMember>& members() const noexcept { return members_; }
  const ArchiveMember* find(std::string_view name) const;  ///< nullptr: no such file
  bool has_folder(std::string_view name) const;            ///< "": the archive itself
  /// Pictures that cannot be read in place: names that lead outside, symbolic links, sparse files.
  const std::vector<Reject>& rejects() const noexcept { return rejects_; }
  /// name <- what a path is called within this archive: "/sets/train.tar/a/1.jpg" -> "a/1.jpg". The
  /// path may be as the user wrote it, or resolved. False when it does not lead here.
  bool locate(const std::string& path, std::string& name) const;

 private:
  std::string typed_, real_;
  std::vector<ArchiveMember> members_;
  std::vector<Reject> rejects_;
};

/// Whether a file that starts with these bytes is a tar archive: its first header's checksum is
/// right.
bool is_archive(std::string_view head);

/// The archive that a path is or leads into: the first part of it that is a file.
std::optional<Archive> archive_on_the_way(const std::filesystem::path& path);

}  // namespace letterpress::annotations
