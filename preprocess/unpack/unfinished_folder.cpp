#include "preprocess/unpack/unfinished_folder.h"

#include <set>

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr const char *kLock = "lock", *kSet = "set";

fs::path folder_for(const fs::path& out) { return fs::path(out.string() + ".unfinished"); }

// Empty, or a lock and a set: killed between any two steps an unpack leaves nothing else.
bool is_of_unpack(const fs::path& folder) {
  std::error_code error;
  std::set<fs::path> names;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    names.insert(entry->path().filename());
  const bool is_link = fs::is_symlink(fs::symlink_status(folder, error));
  return !error && !is_link && (names.empty() || names.contains(kLock)) &&
         names.size() == names.count(kLock) + names.count(kSet);
}

[[noreturn]] void refuse(const fs::path& folder) {
  throw Error({.where = folder.string(),
               .what = "is there, from an unpack that did not end or still runs",
               .fix = "remove it, or name another --out"},
              Exit::cannot_create);
}

// None where the file system has no locks.
std::optional<FileLock> lock_in(const fs::path& folder) {
  try {
    return std::optional<FileLock>(folder / kLock);
  } catch (const Error& error) {
    if (error.exit() != Exit::cannot_create) throw;
    return std::nullopt;
  }
}

}  // namespace

UnfinishedFolder::UnfinishedFolder(const fs::path& out) : out_(out), folder_(folder_for(out)) {
  const bool is_new = !fs::exists(fs::symlink_status(folder_));
  if (!is_new && !is_of_unpack(folder_)) refuse(folder_);
  try {
    make_folders(folder_);
    lock_ = lock_in(folder_);
    // Nobody knows whether a process without a lock still runs.
    if (!lock_ && fs::exists(set())) refuse(folder_);
    remove_folder(set());
  } catch (const Error& error) {
    if (error.exit() == Exit::io && (is_new || lock_)) discard_folder(folder_);
    throw;
  }
}

UnfinishedFolder::~UnfinishedFolder() { discard_folder(folder_); }

fs::path UnfinishedFolder::set() const { return folder_ / kSet; }

void UnfinishedFolder::publish() {
  sync_file_system(set());
  rename_folder(set(), out_);
  remove_folder(folder_);
}

void UnfinishedFolder::remove_left(const fs::path& out) {
  const fs::path folder = folder_for(out);
  if (fs::exists(folder) && is_of_unpack(folder)) UnfinishedFolder{out};
}

}  // namespace letterpress
