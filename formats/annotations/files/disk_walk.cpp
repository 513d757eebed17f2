#include "disk_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>

#include "letterpress/base/error.h"
#include "letterpress/base/folder.h"
#include "letterpress/base/look.h"
#include "letterpress/base/picture_extension.h"
#include "text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

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
  return is_there(folder / "FORMAT") && is_folder_at(folder / "shards") &&
         is_folder_at(folder / "snapshots");
}

// As readdir would have it, where it does not.
unsigned char type_of_entry(const fs::path& path) {
  const fs::file_type type = type_of_link(path);
  return type == fs::file_type::directory ? DT_DIR
         : type == fs::file_type::symlink ? DT_LNK
                                          : DT_REG;
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
    std::vector<fs::path> folders, links;
    visit_entries(folder.string(), [&](std::string_view name, unsigned char type) {
      fs::path path = folder / name;
      if (type == DT_UNKNOWN) type = type_of_entry(path);
      if (type == DT_DIR || type == DT_LNK)
        (type == DT_DIR ? folders : links).push_back(std::move(path));
      else
        below_.add(below(path), extension_);
    });
    require_entry(folder);
    std::ranges::sort(links);  // of two links to one folder the first one is followed
    for (const fs::path& link : links) look_at_link(link);
    for (const fs::path& inner : folders) look_at_folder(inner);
  }

  void look_at_folder(const fs::path& folder) {
    if (is_left_by_a_system(below(folder) + "/")) return pass_over(folder);
    if (folder.native().size() >= PATH_MAX)
      return below_.links.push_back(printable(folder.string(), 1000) + " has too long a path");
    if (!is_store(folder)) walk(folder);
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

  void look_at_link(const fs::path& path) {
    std::error_code ignored;
    const bool is_left = is_left_by_a_system(below(path) + "/");
    const fs::file_type type = is_left ? fs::status(path, ignored).type() : type_at(path);
    if (type != fs::file_type::directory) {
      // What it would be is not known: files have an extension.
      if (type == fs::file_type::not_found && !path.has_extension())
        below_.links.push_back(printable(path.string(), 1000) + " leads nowhere");
      return below_.add(below(path), extension_);
    }
    if (is_store(path)) return;
    if (is_left) return below_.left.push_back(below(path));
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
