#include "letterpress/base/work_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

// Before the name, until the folder is locked: another would take it for abandoned.
const std::string kUnlocked = "new-";
constexpr const char* kLock = "lock";

bool is_folder_of_this_user(const fs::path& path) {
  struct ::stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

void remove_if_abandoned(const fs::path& folder) {
  if (!is_folder_of_this_user(folder)) return;
  try {
    const FileLock lock(folder / kLock);
    remove_folder(folder);
  } catch (const Error&) {
    // Its owner lives, or another process removes it.
  }
}

void remove_abandoned(const fs::path& parent, const std::string& start) {
  std::vector<fs::path> folders;
  visit_entries_if_any(parent.string(), [&](std::string_view name, unsigned char) {
    if (name.starts_with(start)) folders.push_back(parent / name);
  });
  for (const fs::path& folder : folders) remove_if_abandoned(folder);
}

}  // namespace

WorkFolder::WorkFolder(const fs::path& parent, const std::string& start) {
  remove_abandoned(parent, start);
  path_ = make_unique_folder(parent, kUnlocked);
  const fs::path locked = parent / (start + path_.filename().string().substr(kUnlocked.size()));
  try {
    lock_.emplace(path_ / kLock);
    rename_folder(path_, locked);
  } catch (const Error& error) {
    if (error.exit() == Exit::cannot_create) return;                        // no locks
    for (const fs::path& folder : {path_, locked}) discard_folder(folder);  // one of them is there
    throw;
  }
  path_ = locked;
}

WorkFolder::~WorkFolder() { discard_folder(path_); }  // else the next one does it

}  // namespace letterpress
