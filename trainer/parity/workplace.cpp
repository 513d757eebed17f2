#include "trainer/parity/workplace.h"

#include <chrono>

#include "letterpress/base/error.h"

namespace letterpress {
namespace {

namespace fs = std::filesystem;

constexpr const char *kStart = "letterpress-parity-", *kLock = "lock";
// Between making a file and locking it: far less.
constexpr std::chrono::minutes kNew{1};

bool is_abandoned(const fs::directory_entry& folder) {
  std::error_code not_ours;
  if (!folder.path().filename().string().starts_with(kStart) || folder.is_symlink(not_ours))
    return false;
  const fs::path lock = folder.path() / kLock;
  const auto time = fs::last_write_time(lock, not_ours);
  if (not_ours || fs::file_time_type::clock::now() - time < kNew) return false;
  try {
    const FileLock held(lock);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

Workplace::Workplace() {
  const fs::path parent = fs::absolute(fs::temp_directory_path());
  std::error_code unreadable;
  for (const auto& folder : fs::directory_iterator(parent, unreadable))
    if (is_abandoned(folder)) discard_folder(folder);
  folder_ = make_unique_folder(parent, kStart);
  try {
    lock_.emplace(folder_ / kLock);
  } catch (const Error&) {
    // On a file system without locks the folder of a killed process stays.
  }
}

}  // namespace letterpress
