#include "preprocess/pipeline/work_folder.h"

#include <string>
#include <vector>

#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

const std::string kPrefix = "making-", kUnlocked = "new-";
constexpr const char* kLock = "lock";

void remove_if_abandoned(const fs::path& folder) {
  try {
    const FileLock lock(folder / kLock);
    remove_folder(folder);
  } catch (const Error&) {
    // Its owner lives, another process removes it, or it is another user's: it goes with its
    // parent.
  }
}

void remove_abandoned(const fs::path& parent) {
  for (const fs::path& folder : entries_of(parent)) {
    if (folder.filename().string().starts_with(kPrefix)) remove_if_abandoned(folder);
  }
}

}  // namespace

WorkFolder::WorkFolder(const fs::path& parent) {
  remove_abandoned(parent);
  const fs::path unlocked = make_unique_folder(parent, kUnlocked);
  try {
    // Under its own name only once it is locked, or another would take it for abandoned.
    lock_.emplace(unlocked / kLock);
    path_ = parent / (kPrefix + unlocked.filename().string().substr(kUnlocked.size()));
    rename_folder(unlocked, path_);
  } catch (...) {
    for (const fs::path& folder : {unlocked, path_})
      discard_folder(folder);  // one of them is there
    throw;
  }
}

WorkFolder::~WorkFolder() { discard_folder(path_); }  // else the next one does it

}  // namespace letterpress
