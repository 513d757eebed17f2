#pragma once
#include <fcntl.h>
#include <sys/stat.h>

#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "letterpress/base/fault_hook.h"
#include "letterpress/base/file.h"
#include "preprocess/inputs/stat_cache.h"
#include "tests/preprocess/drawn_set.h"

namespace letterpress {

/// Writes cache/stat as the last build would have if it had begun ten seconds after the last change
/// of its pictures: a build trusts no file that is younger than two.
inline void remember_pictures(const BuildOptions& options) {
  const Store store = Store::open(options.store);
  StatCache cache;
  for (const LedgerEntry& entry : store.ledger(store.latest().value().generation)) {
    const std::optional<FileStamp> stamp = file_stamp(entry.path);
    if (!stamp) continue;
    std::vector<std::byte> bytes;
    read_file(entry.path, bytes);
    const Expected<PictureInfo> info =
        probe(bytes, entry.path, {.depth = parse_depth(options.depth)});
    if (!info) continue;
    const KnownPicture known{.stamp = *stamp,
                             .hash = hash128(bytes),
                             .width = info->width,
                             .height = info->height,
                             .orientation = info->orientation,
                             .bit_depth = info->bit_depth,
                             .cmyk = info->cmyk,
                             .alpha = info->alpha,
                             .several = info->several};
    cache.remember(entry.path, known, stamp->changed_ns + 10'000'000'000);
  }
  cache.save(store.cache_folder() / "stat");
}

/// What the build remembers of a file as it is now; none when it does not.
inline std::optional<KnownPicture> remembered(const BuildOptions& options,
                                              const std::filesystem::path& file) {
  const std::optional<FileStamp> stamp = file_stamp(file.string());
  return stamp ? StatCache::load(options.store / "cache" / "stat").find(file.string(), *stamp)
               : std::nullopt;
}

/// The time of the last change of its content: a day of 2020, whatever was written when.
inline void set_old_time(const std::filesystem::path& file) {
  const timespec old{1'600'000'000, 0};
  const timespec times[]{old, old};
  if (utimensat(AT_FDCWD, file.c_str(), times, 0) != 0)
    throw std::runtime_error(file.string() + ": its time cannot be set");
}

/// Names of the files in `folder` itself that are opened while it lives.
class OpenedFiles {
 public:
  explicit OpenedFiles(const std::filesystem::path& of) {
    set_fault_hook([this, folder = std::filesystem::canonical(of)](std::string_view operation,
                                                                   std::string_view path) {
      const std::filesystem::path file(path);
      const std::lock_guard lock(mutex_);
      if (operation == "open" && file.parent_path() == folder)
        names_.insert(file.filename().string());
      return 0;
    });
  }
  ~OpenedFiles() { set_fault_hook(nullptr); }
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  /// Of these those whose names end with `end`. Not while a build runs.
  std::set<std::string> names(std::string_view end) const {
    std::set<std::string> some;
    for (const std::string& name : names_) {
      if (name.ends_with(end)) some.insert(name);
    }
    return some;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

}  // namespace letterpress
