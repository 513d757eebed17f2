#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "letterpress/base/file.h"

namespace letterpress::annotations {

enum class TarKind { file, hard_link, symbolic_link, sparse, other };

/// One member as its headers state it.
struct TarEntry {
  TarKind kind = TarKind::other;
  std::string name, link;
  std::int64_t offset = 0, length = 0;  ///< of its bytes in the archive
};

/// Whether a file that starts with these bytes is a tar archive: its first header's checksum is
/// right.
bool is_tar(std::string_view head);

/// The members of a tar archive one after the other. Formats: POSIX.1-2017 `pax` (ustar and
/// extended headers: path, linkpath, size), GNU tar's L and K members and base-256 sizes, V7.
class TarHeaders {
 public:
  explicit TarHeaders(const std::filesystem::path& path);
  /// Empty after the last. Throws Error (data) with the byte when a header's checksum is wrong, a
  /// member goes beyond the end of the file, or the block of zeros that ends an archive is missing.
  std::optional<TarEntry> next();

 private:
  struct Overrides;
  [[noreturn]] void fail(const std::string& what) const;
  bool read_block();
  std::string body(std::int64_t length) const;
  std::int64_t more_pieces() const;
  void read_extended(std::int64_t length, Overrides& overrides) const;

  File file_;
  std::int64_t size_ = 0, at_ = 0;
  std::string block_;
};

}  // namespace letterpress::annotations
