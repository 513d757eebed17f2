#include "nothing_fits.h"

#include <algorithm>
#include <string_view>

#include "broken_splits.h"
#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/text.h"
#include "letterpress/base/error.h"
#include "letterpress/base/git_lfs.h"
#include "nearly_labels.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;

std::string explained(const std::string& name, const std::string& why) {
  return "\n  " + name + ": " + why;
}

namespace {

// Throws Error at the first list or table of a folder that is UTF-16, as Excel's "Unicode text".
void refuse_utf16_in(const Input& folder) {
  constexpr std::array<std::string_view, 4> kEndings{".csv", ".tsv", ".txt", ".json"};
  constexpr std::int64_t kMarkBytes = 2;
  for (const std::string& name : folder.files.names_in(folder.path)) {
    const fs::path path = folder.path / name;
    if (std::ranges::find(kEndings, path.extension()) == kEndings.end() ||
        !folder.files.file_fault(path.string()).empty())
      continue;
    if (is_utf16(folder.files.read_head(path, kMarkBytes))) read_list_file(folder.files, path);
  }
}

// Whose reasons help with such an input.
bool is_told(std::string_view format, const Input& input) {
  const std::string name = input.path.filename().string();
  if (input.is_folder) return format == "folder" || format == "yolo";
  if (matches(name, ".bin")) return format == "cifar";
  if (matches(name, ".json")) return format == "coco";
  if (matches(name, ".xml")) return format == "cvat" || format == "voc";
  return format == "keras" || format == "voc" || format == "yolo";
}

// The names of all, and these reasons.
std::string told(const std::vector<Misfit>& misfits, const Input& input) {
  std::string names, reasons;
  for (const auto& [format, why] : misfits) {
    names += (names.empty() ? "" : ", ") + std::string(format->name);
    if (is_told(format->name, input)) reasons += explained(format->name, why);
  }
  return "\n  " + names + reasons;
}

}  // namespace

void nothing_fits(const Input& input, const std::vector<Misfit>& misfits) {
  std::error_code ignored;
  const bool empty = input.is_folder ? fs::is_empty(input.path, ignored)
                                     : trim(input.head).empty() && input.is_whole;
  if (empty) {
    throw Error({.where = input.path.string(),
                 .what = "is empty",
                 .fix = "name a label file or a folder of labels (is a mount missing?)"},
                Exit::no_input);
  }
  if (input.is_folder) refuse_utf16_in(input);
  if (is_git_lfs_pointer(input.head)) {
    const auto [what, fix] = broken_content(input);
    throw Error({.where = input.path.string(), .what = what, .fix = fix});
  }
  if (is_utf16(input.head)) read_list_file(input.files, input.path);  // which says so
  if (const auto nearly = nearly_labels(input)) {
    const auto& [name, message] = *nearly;
    if (!input.is_folder) throw Error(message);
    throw Error({.where = input.path.string(),
                 .what = "holds no labels of a known format; the nearest file, " + name +
                         message.where.substr((input.path / name).string().size()) + ": " +
                         message.what,
                 .fix = message.fix});
  }
  const std::string inside =
      input.files.archive()
          ? ", or name the label file inside the archive (" + input.path.string() + "/train.txt)"
          : "";
  throw Error({.where = input.path.string(),
               .what = "is not of a known label format",
               .fix = "name the label file or the folder of labels" + inside +
                      ", or what it is by --format:" + told(misfits, input)});
}

}  // namespace letterpress::annotations
