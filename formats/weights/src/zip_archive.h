#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "letterpress/base/file.h"

namespace letterpress {

/// The entries of a zip archive (PKWARE's APPNOTE 6.3), small or zip64, that are stored
/// uncompressed, as PyTorch does. Written by hand: that part is short, and a library for all of zip
/// would be the larger risk with files of unknown origin.
class ZipArchive {
 public:
  /// Throws Error naming the file when it has no directory at its end, or a damaged one.
  explicit ZipArchive(const std::filesystem::path& path);

  struct Entry {
    std::int64_t header = 0;  ///< where its local header begins
    std::int64_t bytes = 0;
    std::uint32_t checksum = 0;
    bool compressed = false;
  };
  const std::map<std::string, Entry>& entries() const noexcept { return entries_; }
  /// All bytes of an entry, checked against its CRC-32. Throws Error naming file and entry.
  std::string read(const std::string& name) const;

 private:
  struct Directory {
    std::int64_t begin = 0, bytes = 0, entries = 0;
  };
  Directory find_directory() const;
  void add_entry(std::string_view& rest);
  std::string bytes_at(std::int64_t offset, std::int64_t bytes) const;
  [[noreturn]] void fail(const std::string& what) const;

  File file_;
  std::int64_t size_ = 0;
  std::map<std::string, Entry> entries_;
};

/// CRC-32 of ISO 3309, as in zip.
std::uint32_t crc32(std::string_view bytes);

}  // namespace letterpress
