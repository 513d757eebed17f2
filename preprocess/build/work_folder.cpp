#include "preprocess/build/work_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "letterpress/base/error.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

const std::string kPrefix = "making-";
constexpr const char* kLock = "lock";

void remove_if_abandoned(const fs::path& folder) {
  try {
    const FileLock lock(folder / kLock);
    remove_folder(folder);
  } catch (const Error&) {
    // Its owner lives, another one is at it, or it is another user's: it goes with its parent.
  }
}

void remove_abandoned(const fs::path& parent) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(kPrefix)) folders.push_back(entry.path());
  }
  for (const fs::path& folder : folders) remove_if_abandoned(folder);
}

}  // namespace

WorkFolder::WorkFolder(const fs::path& parent) {
  remove_abandoned(parent);
  std::string name = (parent / "new-XXXXXX").string();
  if (!mkdtemp(name.data())) throw system_error(parent.string(), "no folder can be made in it", errno);
  // Under its own name only once it is locked, or another would take it for abandoned.
  lock_.emplace(fs::path(name) / kLock);
  path_ = parent / (kPrefix + name.substr(name.size() - 6));
  fs::rename(name, path_);
}

WorkFolder::~WorkFolder() {
  try {
    remove_folder(path_);
  } catch (const std::exception&) {
    // The next one does it.
  }
}

}  // namespace letterpress
