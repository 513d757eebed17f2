#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/file.h"

namespace letterpress {

/// One entry of a zip archive as its directory states it.
struct ZipEntry {
  std::string name;            ///< with '/' between folders; of a folder itself it ends in one
  std::int64_t header = 0;     ///< where its local header begins
  std::int64_t bytes = 0;      ///< of its content
  std::int64_t stored = 0;     ///< of that in the archive
  std::uint32_t checksum = 0;  ///< CRC-32 of ISO 3309 over the content
  std::uint16_t method = 0;    ///< 0 stored, 8 deflated; others are not read
  bool encrypted = false;      ///< not read either
  bool symbolic_link = false;  ///< its content is where it leads
};

/// A zip archive (PKWARE's APPNOTE 6.3), small or zip64, of entries that are stored or deflated.
/// The directory is written by hand and inflating is libdeflate's: no library gives an entry's
/// place, by which any thread reads it. Immutable, so any number of threads may read it.
class ZipArchive {
 public:
  /// Throws Error naming the file when it has no directory at its end, a damaged one, entries that
  /// overlap (as bombs have), or is one part of several.
  explicit ZipArchive(const std::filesystem::path& path);

  /// By name; of equal names in the directory's order.
  const std::vector<ZipEntry>& entries() const noexcept { return entries_; }
  const ZipEntry* find(std::string_view name) const;  ///< the last one; nullptr: none
  const ZipEntry* at(std::int64_t header) const;      ///< nullptr: no entry begins there
  /// Why an entry's content cannot be had, empty when it can: "is protected by a password". A bomb,
  /// more than 256 MiB and 100 times what is stored, cannot.
  static Message fault(const ZipEntry& entry);
  /// All of an entry's content, checked against its CRC-32. Throws Error naming file and entry.
  std::string read(const ZipEntry& entry) const;
  /// content: entry.bytes long.
  void read(const ZipEntry& entry, std::span<std::byte> content) const;
  /// As read(), of the last entry of this name. Throws Error when there is none.
  std::string read(std::string_view name) const;

 private:
  struct Directory {
    std::int64_t begin = 0, bytes = 0, entries = 0;
    bool zip64 = false;  ///< else `entries` is counted in 16 bits
  };
  Directory find_directory() const;
  void require_readable(const ZipEntry& entry) const;
  void add_entry(std::string_view& rest);
  void refuse_overlaps(std::int64_t directory);
  std::string bytes_at(std::int64_t offset, std::int64_t bytes) const;
  std::string stored_bytes(const ZipEntry& entry) const;
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void refuse_part() const;

  File file_;
  std::int64_t size_ = 0;
  std::vector<ZipEntry> entries_;
  std::vector<std::size_t> by_header_;  ///< indices into entries_
};

}  // namespace letterpress
