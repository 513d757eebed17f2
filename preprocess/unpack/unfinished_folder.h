#pragma once
#include <filesystem>
#include <optional>

#include "letterpress/base/file.h"

namespace letterpress {

/// Where a set is filled before it gets its name: OUT.unfinished, which holds the set and a lock.
/// The lock says whose it is, and whether its process still runs. With all it holds it goes with
/// this object.
class UnfinishedFolder {
 public:
  /// Removes what a killed process has left there. Throws Error: (busy) another process fills it;
  /// (cannot_create) it holds what is not of an unpack.
  explicit UnfinishedFolder(const std::filesystem::path& out);
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder();

  std::filesystem::path set() const;  ///< the folder to be filled, which is not there yet
  /// The filled set gets its name, durably; the folder goes. Throws Error.
  void publish();
  /// What a killed process has left for this `out`, if it has, goes.
  static void remove_left(const std::filesystem::path& out);

 private:
  std::filesystem::path out_, folder_;
  std::optional<FileLock> lock_{};  // none: the file system has no locks
};

}  // namespace letterpress
