#include "disk_walk.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>

#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& folder, const std::error_code& error) {
  throw Error({.where = folder.string(),
               .what = "cannot be listed: " + error.message(),
               .fix = "check the path and its permissions"},
              Exit::io);
}

// In a folder that may be listed but not entered, each file would be told as missing.
void require_entry(const fs::path& folder) {
  if (::faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0 || errno != EACCES) return;
  throw Error({.where = folder.string(),
               .what = "may be listed but not entered: permission denied",
               .fix = "give this user the right to enter it (chmod +x), and the folders in it"},
              Exit::io);
}

// A store that was made within the folder of its labels: its files are not labels. formats/shards,
// which knows stores, is not seen from here.
bool is_store(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "FORMAT", ignored) && fs::is_directory(folder / "shards", ignored) &&
         fs::is_directory(folder / "snapshots", ignored);
}

bool is_around(const fs::path& outer, const fs::path& inner) {
  return std::ranges::mismatch(outer, inner).in1 == outer.end();
}

bool is_leftover(std::string_view name) {
  constexpr std::array<std::string_view, 6> kLeft{"__MACOSX",  ".ipynb_checkpoints", ".DS_Store",
                                                  "Thumbs.db", "desktop.ini",        "Desktop.ini"};
  return name.starts_with("._") || std::ranges::find(kLeft, name) != kLeft.end();
}

// The files below a folder, and below what the links there lead to. Each folder is walked once, so
// no circle has an end to be looked for.
class DiskWalk {
 public:
  DiskWalk(const fs::path& folder, std::string_view extension)
      : extension_(extension),
        prefix_(folder.native().size() + (folder.native().ends_with('/') ? 0 : 1)),
        folders_{folder} {
    std::error_code ignored;
    walked_.push_back(fs::weakly_canonical(folder, ignored));
  }

  FilesBelow run() {
    for (; !folders_.empty(); folders_.pop_front()) walk(folders_.front());
    std::sort(below_.files.begin(), below_.files.end());
    return std::move(below_);
  }

 private:
  void walk(const fs::path& folder) {
    std::error_code error, ignored;
    fs::path listed = folder;  // the last one that was, or is by the next increment
    fs::recursive_directory_iterator entry(folder, error);
    if (error) fail(listed, error);
    require_entry(listed);
    for (; entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      const bool is_folder = entry->is_directory(ignored), is_link = entry->is_symlink(ignored);
      if (is_link) look_at_link(*entry, is_folder);
      if (!is_folder) below_.add(below(entry->path()), extension_);
      if (!is_folder || is_link) continue;
      listed = entry->path();
      if (is_left_by_a_system(below(listed) + "/")) {
        pass_over(listed);
        entry.disable_recursion_pending();
      } else if (is_store(listed)) {
        entry.disable_recursion_pending();
      } else {
        require_entry(listed);
      }
    }
    if (error) fail(listed, error);
  }

  std::string below(const fs::path& path) const { return path.native().substr(prefix_); }

  // Counts the files of a system's folder as far as it may be listed: some may not.
  void pass_over(const fs::path& folder) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code ignored;
      if (!entry->is_directory(ignored)) below_.left.push_back(below(entry->path()));
    }
  }

  // Whether what a link leads to is read without it, all or a part.
  bool is_read(const fs::path& target) const {
    return std::ranges::any_of(walked_, [&](const fs::path& walked) {
      if (is_around(target, walked)) return true;
      return is_around(walked, target) &&
             !is_left_by_a_system(target.lexically_relative(walked).native() + "/");
    });
  }

  void look_at_link(const fs::directory_entry& link, bool is_folder) {
    std::error_code ignored;
    const fs::path& path = link.path();
    // What it would be is not known: files have an extension.
    if (!is_folder && !path.has_extension() && !link.exists(ignored))
      below_.links.push_back(printable(path.string(), 1000) + " leads nowhere");
    if (!is_folder || is_store(path)) return;
    if (is_left_by_a_system(below(path) + "/")) return below_.left.push_back(below(path));
    const fs::path target = fs::canonical(path, ignored);
    if (is_read(target)) {
      below_.links.push_back(printable(path.string(), 1000) + " leads to " +
                             printable(target.string(), 1000) +
                             ", of which all or a part is read "
                             "by another path");
    } else {
      walked_.push_back(target);
      folders_.push_back(path);
    }
  }

  std::string_view extension_;
  std::size_t prefix_;
  std::deque<fs::path> folders_;  // to walk
  std::vector<fs::path> walked_;  // without links
  FilesBelow below_;
};

}  // namespace

bool matches(std::string_view name, std::string_view extension) {
  return extension.empty()
             ? has_picture_extension(name) || has_unread_picture_extension(name)
             : name.size() > extension.size() &&
                   in_small_letters(name.substr(name.size() - extension.size())) == extension;
}

bool is_left_by_a_system(std::string_view path) {
  for (std::string_view rest = path; !rest.empty();) {
    if (is_leftover(take_until(rest, '/'))) return true;
  }
  return is_in_hidden_folder(path);
}

bool is_in_hidden_folder(std::string_view path) {
  // In small letters. RECYCLER is a recycle bin as Windows writes it: a class may be called so.
  constexpr std::array<std::string_view, 8> kHidden{
      "@eadir",    "@recycle",     "@recently-snapshot",        "#recycle",
      "#snapshot", "$recycle.bin", "system volume information", "lost+found"};
  while (path.find('/') != path.npos) {
    const std::string_view folder = take_until(path, '/');
    if (folder == "." || folder == ".." || is_leftover(folder)) continue;
    if (folder.starts_with('.') || folder == "RECYCLER" ||
        std::ranges::find(kHidden, in_small_letters(folder)) != kHidden.end())
      return true;
  }
  return false;
}

void FilesBelow::add(std::string path, std::string_view extension) {
  if (is_left_by_a_system(path)) {
    left.push_back(std::move(path));
  } else if (matches(path, extension)) {
    files.push_back(std::move(path));
  }
}

FilesBelow disk_files_below(const fs::path& folder, std::string_view extension) {
  return DiskWalk(folder, extension).run();
}

}  // namespace letterpress::annotations
