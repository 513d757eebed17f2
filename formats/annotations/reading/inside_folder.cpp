#include "inside_folder.h"

#include <algorithm>
#include <array>

#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/readers/xml/voc_ids.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostLooks = 200;

bool may_hold_labels(const std::string& name) {
  constexpr std::array<std::string_view, 8> kEndings{".json", ".jsonl", ".ndjson", ".csv",
                                                     ".xml",  ".yaml",  ".yml",    ".txt"};
  return !is_left_by_a_system(name) && std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return name.ends_with(ending);
  });
}

class Search {
 public:
  Search(const Input& folder, const InsideSearch& wanted) : folder_(folder), wanted_(wanted) {}

  std::vector<InsideFolder> run() {
    std::int64_t files = 0, folders = 0;
    for (const std::string& name : folder_.files.names_in(folder_.path)) {
      if (!folder_.files.is_folder(folder_.path / name)) {
        look(name, files);
      } else if (!is_left_by_a_system(name + "/")) {
        look_into(name, folders);
      }
    }
    note_limit(folder_.path, files, "files");
    note_limit(folder_.path, folders, "folders");
    return std::move(found_);
  }

  std::vector<std::string> take_remarks() { return std::move(remarks_); }

 private:
  // n: what of the folder was to be looked at.
  void note_limit(const fs::path& folder, std::int64_t n, const char* kind) {
    if (n <= kMostLooks) return;
    remarks_.push_back(printable(folder.string(), 1000) + ": of its " + std::to_string(n) + " " +
                       kind + " that may hold labels the first " + std::to_string(kMostLooks) +
                       " are looked at; name others by an --input of their own");
  }

  // folders: how many were to be looked at so far.
  void look_into(const std::string& name, std::int64_t& folders) {
    const fs::path folder = folder_.path / name;
    const bool of_class = wanted_.of_classes && folder_.files.holds_file(folder, "");
    if (!of_class && look(name, folders)) return;
    std::int64_t looks = 0;
    const std::size_t before = found_.size();
    const std::vector<std::string> files = folder_.files.names_in(folder);
    const bool is_split = !split_of_folders(name).empty();
    for (const std::string& file : files) {
      // supervision's train/annotations beside train/images
      if (is_split && in_small_letters(file) == "annotations") look(name + "/" + file, looks);
      if (!may_hold_labels(file) || (of_class && is_of_one_picture(file, files))) continue;
      if (!folder_.files.is_folder(folder / file)) look(name + "/" + file, looks);
    }
    // FiftyOne's train/labels of XMLs; beside a label file they may be a copy.
    for (const std::string& file : files) {
      if (!is_split || found_.size() > before || !is_annotations_folder(file)) continue;
      if (folder_.files.holds_file(folder / file, ".xml")) look(name + "/" + file, looks);
    }
    note_limit(folder, looks, "files");
  }

  // Whether a picture beside it has its name: 1.xml beside 1.jpg.
  static bool is_of_one_picture(const std::string& label, const std::vector<std::string>& files) {
    return std::ranges::any_of(files, [&](const std::string& file) {
      return has_picture_extension(file) && without_extension(file) == without_extension(label);
    });
  }

  // Whether one format fits, and only one. n: of how many of its kind in its folder this is one.
  bool look(const std::string& name, std::int64_t& n) {
    const bool is_folder = folder_.files.is_folder(folder_.path / name);
    if ((!is_folder && !may_hold_labels(name)) || ++n > kMostLooks) return false;
    try {
      return add(name, look_at(folder_.files, folder_.path / name));
    } catch (const Error& error) {
      if (error.exit() == Exit::io) throw;
      return false;  // what cannot be read as a whole is not a label file
    }
  }

  bool add(const std::string& name, Input input) {
    InsideFolder inside{
        .input = std::move(input), .name = name, .why = {}, .split = split_in(name)};
    for (const AnnotationFormat* format : formats()) {
      if (wanted_.format ? format != wanted_.format : std::string_view(format->name) == "folder")
        continue;
      Recognition recognition = format->recognise(inside.input, wanted_.options);
      if (!recognition.fits) continue;
      if (inside.format) return false;
      inside.format = format;
      inside.why = std::move(recognition.why);
    }
    if (!inside.format) return false;
    found_.push_back(std::move(inside));
    return true;
  }

  const Input& folder_;
  const InsideSearch& wanted_;
  std::vector<InsideFolder> found_;
  std::vector<std::string> remarks_;
};

}  // namespace

std::vector<InsideFolder> labels_inside(const Input& folder, const InsideSearch& wanted,
                                        std::vector<std::string>* remarks) {
  Search search(folder, wanted);
  std::vector<InsideFolder> found = search.run();
  if (remarks) *remarks = search.take_remarks();
  return found;
}

}  // namespace letterpress::annotations
