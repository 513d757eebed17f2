#include "letterpress/shards/store.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/own_file.h"
#include "letterpress/shards/unpacked_folder.h"

namespace letterpress {
namespace fs = std::filesystem;
namespace {

constexpr int kStoreFormat = 1;
const std::string kFormatText = "letterpress store ";
constexpr const char* kFormat = "FORMAT";
constexpr const char* kLock = "lock";
constexpr std::array kFolders{"plans", "shards", "snapshots", "pins", "cache", "tmp"};
constexpr const char* kQuarantine = "quarantine.jsonl";
constexpr std::int64_t kMostFormatBytes = 1024;

// What is read, written, and removed from, must lie in the store: whoever made it could have linked
// these to anything.
void check_no_links(const fs::path& folder) {
  const std::string fix =
      "a store holds its files itself: move them back, or move the whole store, which may be "
      "reached by a link";
  for (const char* name : kFolders) check_no_link(folder / name, fix);
  for (const char* name : {kFormat, kLock, kQuarantine}) check_no_link(folder / name, fix);
  check_no_link(unpacked_folder(folder), fix);
}

void check_format(const fs::path& folder) {
  const std::string text = read_own_file(folder / kFormat, kMostFormatBytes);
  int number = 0;
  const char* end = text.data() + text.size();
  if (text.starts_with(kFormatText)) std::from_chars(text.data() + kFormatText.size(), end, number);
  if (number < 1 || text != kFormatText + std::to_string(number) + "\n") {
    throw Error({.where = (folder / kFormat).string(),
                 .what = "says '" + text.substr(0, 40) + "', must be '" + kFormatText +
                         std::to_string(kStoreFormat) + "' and a line's end",
                 .fix = "is this a Letterpress store?"},
                Exit::configuration);
  }
  if (number <= kStoreFormat) return;
  throw Error({.where = (folder / kFormat).string(),
               .what = "store format " + std::to_string(number) + " is newer than this program's " +
                       std::to_string(kStoreFormat),
               .fix = "update Letterpress"},
              Exit::configuration);
}

// What a `create` leaves that was killed before FORMAT, or still runs: the lock and some of our
// folders, all empty but for archives that a build unpacks before it makes the store.
bool is_unfinished_store(const fs::path& folder) {
  for (const fs::path& path : entries_of(folder)) {
    if (path.filename() == kLock) continue;
    const bool ours = std::ranges::count(kFolders, path.filename().string()) > 0;
    if (!ours || !fs::is_directory(path)) return false;
    if (path.filename() == "tmp") continue;
    for (const fs::path& held : entries_of(path))
      if (held != unpacked_folder(folder)) return false;
  }
  return true;
}

// Makes the name of the store's folder durable, which a killed process may have given it. Where the
// folder above may not be read, no process of this user's has made one in it.
void sync_name(const fs::path& folder) {
  const fs::path name = fs::absolute(folder).lexically_normal();
  const fs::path parent = (name.has_filename() ? name : name.parent_path()).parent_path();
  if (::access(parent.c_str(), R_OK) == 0) sync_folder(parent);
}

// Error when a disk or server fails to say: what cannot be seen is not missing.
fs::file_type type_of(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::none)
    throw reading_error(path.string(), "cannot be examined", error.value());
  return type;
}

}  // namespace

bool Store::is_at(const fs::path& folder) {
  return type_of(folder / kFormat) != fs::file_type::not_found;
}

Store Store::open(const fs::path& folder) {
  if (type_of(folder) != fs::file_type::directory) {
    throw Error({.where = folder.string(),
                 .what = "no such folder",
                 .fix = "check the path, or build it with `letterpress-preprocess build`"},
                Exit::no_input);
  }
  if (!is_at(folder)) {
    throw Error({.where = folder.string(),
                 .what = "is not a Letterpress store (it has no file FORMAT)",
                 .fix = "build one with `letterpress-preprocess build --store`"},
                Exit::configuration);
  }
  check_no_links(folder);
  check_format(folder);
  return Store(folder);
}

Store Store::create(const fs::path& folder) {
  make_folders(folder);
  sync_name(folder);
  if (is_at(folder)) return open(folder);
  if (!is_unfinished_store(folder)) {
    if (is_at(folder)) return open(folder);  // another builder has just made it
    throw Error({.where = folder.string(),
                 .what = "is neither empty nor a Letterpress store",
                 .fix = "name a new or empty folder"},
                Exit::cannot_create);
  }
  check_no_links(folder);
  // Another process that empties tmp/ (lock() does) would remove the temporary FORMAT.
  const FileLock making(folder / kLock);
  for (const char* name : kFolders) make_folders(folder / name);
  const std::string text = kFormatText + std::to_string(kStoreFormat) + "\n";
  if (!write_new_file(folder / kFormat, text, folder / "tmp")) check_format(folder);
  return Store(folder);
}

fs::path Store::shard_path(const Hash128& digest) const {
  return shards_folder() / (digest.hex() + ".h5");
}
fs::path Store::quarantine_path() const { return folder_ / kQuarantine; }

fs::path Store::plan_folder(const Hash128& plan) const {
  fs::path folder = folder_ / "plans" / plan.hex();
  check_no_link(folder, "remove it and run `letterpress-preprocess plan` again");
  return folder;
}

std::vector<fs::path> Store::plan_folders() const {
  std::vector<fs::path> folders = entries_of(folder_ / "plans");
  for (const fs::path& folder : folders) check_no_link(folder, "remove this link");
  return folders;
}

FileLock Store::lock() const {
  check_no_links(folder_);
  FileLock lock(folder_ / kLock);
  for (const char* name : kFolders) {
    if (!fs::exists(folder_ / name))
      make_folders(folder_ / name);  // a copy of the store may lack those that were empty
  }
  for (const fs::path& left : entries_of(temporary_folder())) remove_file(left);
  // What a killed process gave its name is there for this one, which may end well without a change:
  // then it must be durable.
  for (const char* name : {"plans", "shards", "snapshots"}) sync_folder(folder_ / name);
  sync_folder(folder_);
  return lock;
}

void Store::check_can_write() const { const TemporaryFile trial(temporary_folder()); }

}  // namespace letterpress
