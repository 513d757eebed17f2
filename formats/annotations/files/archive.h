#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/file.h"
#include "letterpress/base/reject.h"
#include "letterpress/zip/zip_archive.h"

namespace letterpress::annotations {

/// One file of an archive.
struct ArchiveMember {
  std::string name;  ///< without "./", no "..", as a path below the archive
  /// Of its bytes in a tar; in a zip, whose members may be deflated, of its local header.
  std::int64_t offset = 0;
  std::int64_t length = 0;  ///< of its bytes
};

/// The table of a tar or zip archive; nothing is extracted. Tar: ustar and pax (POSIX.1-2017,
/// `pax`), GNU tar's long names and large sizes, V7; hard links lead to the bytes that they name.
/// Zip: ZipArchive. A compressed tar is unpacked once, see unpacked_tar.h. Immutable, so any number
/// of threads may read it.
class Archive {
 public:
  /// Throws Error (data) naming the byte when the archive is cut or damaged, or the
  /// names of all its files lead outside.
  /// unpacked: the folder for what is unpacked; empty: a compressed tar is refused.
  explicit Archive(const std::filesystem::path& path, const std::filesystem::path& unpacked = {});

  const char* kind() const noexcept { return zip_ ? "zip" : "tar"; }
  const char* lister() const noexcept { return zip_ ? "unzip -l" : "tar -tf"; }
  const std::string& real_path() const noexcept { return real_; }
  /// By name; of two members of one name the later, as tar does it.
  const std::vector<ArchiveMember>& members() const noexcept { return members_; }
  const ArchiveMember* find(std::string_view name) const;  ///< nullptr: no such file
  bool has_folder(std::string_view name) const;            ///< "": the archive itself
  /// Pictures that cannot be read in place: names that lead outside, symbolic links, sparse files.
  const std::vector<Reject>& rejects() const noexcept { return rejects_; }
  /// What else of it is not read or may mean something else, with counts: files that are in it
  /// twice with other bytes, and those but for pictures whose names lead outside.
  const std::vector<std::string>& remarks() const noexcept { return remarks_; }
  /// Names of archives within this one, which are not looked into.
  const std::vector<std::string>& nested() const noexcept { return nested_; }
  /// Whether members' bytes lie in the archive as they are, so that parts of them can be read.
  bool in_place() const noexcept { return !zip_; }
  /// bytes <- a member's, `length` of them. Throws Error when they cannot be read, or are too many
  /// for a text: more than 64 MiB and 64 times what is stored (of a compressed tar, all of it).
  void read(const ArchiveMember& member, std::span<std::byte> bytes) const;
  /// The same, of the first bytes only.
  std::string read_head(const ArchiveMember& member, std::int64_t n) const;
  /// name <- what a path is called within this archive: "/sets/train.tar/a/1.jpg" -> "a/1.jpg". The
  /// path may be as the user wrote it, or resolved. False when it does not lead here.
  bool locate(const std::string& path, std::string& name) const;

 private:
  void keep_last_of_each();
  bool have_equal_bytes(const ArchiveMember& one, const ArchiveMember& other) const;
  void check_expansion(const ArchiveMember& member) const;

  std::string typed_, real_;
  std::int64_t compressed_ = 0;  // bytes of a compressed tar
  File file_;
  std::unique_ptr<const ZipArchive> zip_;  // empty: a tar
  std::vector<ArchiveMember> members_;
  std::vector<Reject> rejects_;
  std::vector<std::string> nested_, remarks_;
};

/// Whether a file that starts with these bytes is a zip archive that begins with its first entry,
/// or is an empty one.
bool is_zip(std::string_view head);
/// The same of any archive that is read, compressed ones included.
bool is_archive(std::string_view head);

/// The archive that a path is or leads into: the first part of it that is a file.
std::optional<Archive> archive_on_the_way(const std::filesystem::path& path,
                                          const std::filesystem::path& unpacked = {});

}  // namespace letterpress::annotations
