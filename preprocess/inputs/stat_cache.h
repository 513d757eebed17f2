#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

#include "letterpress/base/file_stamp.h"
#include "letterpress/base/hash.h"

namespace letterpress {

/// What a picture's content said when it was last read.
struct KnownPicture {
  FileStamp stamp;
  Hash128 hash;
  std::int32_t width = 0, height = 0;  ///< displayed frame
  std::int32_t orientation = 1;
  std::int32_t bit_depth = 8;
  bool cmyk = false, alpha = false, several = false;
  bool end_sought = false, truncated = false;  ///< the second is known only with the first
  bool operator==(const KnownPicture&) const = default;
};

/// cache/stat of a store: path -> content, so that unchanged files are not read again. It only
/// saves work and may be deleted at any time. It keeps the hash of a path, which is shorter.
class StatCache {
 public:
  explicit StatCache(std::size_t pictures = 0) : pictures_(pictures) {}  ///< with room for so many
  static StatCache load(const std::filesystem::path& file);  ///< empty when the file is absent,
                                                             ///< damaged or of another version
  void save(const std::filesystem::path& file) const;        ///< atomically; throws Error

  /// None unless the file was remembered with this very stamp.
  std::optional<KnownPicture> find(const std::string& path, const FileStamp& stamp) const;
  /// now_ns: since 1970. A file that changed in the last two seconds is left out: it could change
  /// again within its clock's tick.
  void remember(const std::string& path, const KnownPicture& picture, std::int64_t now_ns);
  bool operator==(const StatCache&) const = default;

 private:
  std::unordered_map<Hash128, KnownPicture> pictures_;  // by the hash of the path
};

}  // namespace letterpress
