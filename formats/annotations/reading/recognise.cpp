#include "recognise.h"

#include <algorithm>
#include <optional>
#include <ranges>

#include "broken_splits.h"
#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/data_yaml.h"
#include "letterpress/base/error.h"
#include "letterpress/base/picture_extension.h"
#include "letterpress/base/shell_word.h"
#include "letterpress/base/suggest.h"
#include "nothing_fits.h"
#include "split_parts.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;

void several_inside(const Input& folder, const std::vector<InsideFolder>& found) {
  constexpr std::size_t kShown = 12;
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), kShown); ++i)
    list += explained((folder.path / found[i].name).string(), found[i].format->name);
  if (found.size() > kShown) list += "\n  and " + std::to_string(found.size() - kShown) + " more";
  throw Error(
      {.where = folder.path.string(),
       .what = "holds " + std::to_string(found.size()) + " label files or folders of labels",
       .fix = "name each that you want by an --input, --val or --split of its own:" + list},
      Exit::usage);
}

namespace {

// The first label file deeper in the folder than labels_inside() looks: of each kind of file the
// first is tried.
std::optional<InsideFolder> labels_deeper(const Input& folder, const AnnotationOptions& options) {
  for (const char* kind : {".xml", ".json", ".csv", ".jsonl", ".ndjson", ".yaml", ".txt"}) {
    for (const std::string& name : folder.files.files_below(folder.path, kind)) {
      if (std::ranges::count(name, '/') < 2) continue;
      try {
        const Input input = look_at(folder.files, folder.path / name);
        for (const AnnotationFormat* format : formats()) {
          if (format->recognise(input, options).fits)
            return InsideFolder{.name = name, .format = format, .why = {}};
        }
      } catch (const Error& error) {
        if (error.exit() == Exit::io) throw;
      }
      break;
    }
  }
  return std::nullopt;
}

// Folders of Pascal VOC's layout, in VOCdevkit say, or deeper.
void find_voc_sets(const FileTree& files, const fs::path& folder, int levels,
                   std::vector<std::string>& sets) {
  if (files.is_folder(folder / "Annotations") && files.is_folder(folder / "JPEGImages"))
    return sets.push_back(folder.string());
  if (levels == 0) return;
  for (const std::string& name : files.names_in(folder)) {
    if (is_left_by_a_system(name + "/") || has_picture_extension(name)) continue;
    if (files.is_folder(folder / name)) find_voc_sets(files, folder / name, levels - 1, sets);
  }
}

std::vector<std::string> voc_sets_below(const Input& folder) {
  constexpr int kLevels = 3;
  std::vector<std::string> sets;
  find_voc_sets(folder.files, folder.path, kLevels, sets);
  std::erase(sets, folder.path.string());
  return sets;
}

// " --input VOC2007 --input VOC2012"
std::string input_flags(const std::vector<std::string>& sets) {
  constexpr std::size_t kShown = 4;
  std::string flags;
  for (std::size_t i = 0; i < std::min(sets.size(), kShown); ++i)
    flags += " --input " + shell_word(sets[i]);
  return flags + (sets.size() > kShown ? " ..." : "");
}

void refuse_voc_sets_below(const Input& folder) {
  const std::vector<std::string> sets = voc_sets_below(folder);
  if (sets.empty()) return;
  throw Error({.where = folder.path.string(),
               .what = "holds " + counted(std::ssize(sets), "Pascal VOC set", "Pascal VOC sets") +
                       " in folders",
               .fix = std::string("name ") + (sets.size() == 1 ? "it:" : "those you want:") +
                      input_flags(sets)},
              Exit::usage);
}

// Pictures in folders of their own may be of classes, or lie beside their labels.
void refuse_labels_beside(const Input& folder, const AnnotationOptions& options,
                          const std::string& fitting) {
  std::vector<InsideFolder> found = labels_inside(folder, {.options = options, .of_classes = true});
  if (found.empty()) {
    if (auto deeper = labels_deeper(folder, options)) found.push_back(*std::move(deeper));
  }
  if (found.empty()) return;
  const InsideFolder& first = found.front();
  const std::vector<std::string> sets = voc_sets_below(folder);
  throw Error({.where = folder.path.string(),
               .what = "may be class folders, or pictures whose labels are beside them",
               .fix = "give --format folder, or name the labels:" + fitting +
                      explained((folder.path / first.name).string(), first.format->name) +
                      (sets.empty() ? "" : "\n  all of Pascal VOC:" + input_flags(sets))},
              Exit::usage);
}

// Labels of another format in a folder that is of one itself.
struct OtherLabels {
  std::vector<InsideFolder> rivals;  ///< which may be those that are meant
  std::vector<InsideFolder> strays;
};

OtherLabels others_inside(const Input& folder, const AnnotationOptions& options,
                          const Recognised& own) {
  OtherLabels others;
  if (!folder.is_folder || own.rivals == Rivals::none) return others;
  for (InsideFolder& one : labels_inside(folder, {.options = options})) {
    const fs::path name = one.name;
    const fs::path inner = one.input.is_folder ? name : name.parent_path();
    if (one.format == own.format || is_yaml(name)) continue;
    const bool is_rival = own.rivals == Rivals::all || !split_of_folders(inner.string()).empty();
    (is_rival ? others.rivals : others.strays).push_back(std::move(one));
  }
  return others;
}

void refuse_rivals(const Input& folder, const Recognised& found,
                   const std::vector<InsideFolder>& rivals) {
  constexpr std::size_t kShown = 3;
  std::string list = explained(found.format->name, found.why);
  for (const InsideFolder& rival : rivals | std::views::take(kShown))
    list += explained(rival.format->name, (folder.path / rival.name).string() + ": " + rival.why);
  if (rivals.size() > kShown) list += "\n  and " + std::to_string(rivals.size() - kShown) + " more";
  if (rivals.empty()) return;
  throw Error({.where = folder.path.string(),
               .what = "holds labels of several formats",
               .fix = "choose one by --format, or name each that you want by an --input, --val or "
                      "--split of its own:" +
                      list},
              Exit::usage);
}

void note_strays(const std::vector<InsideFolder>& strays, Recognised& found) {
  if (strays.empty()) return;
  const InsideFolder& first = strays.front();
  found.remarks.push_back(
      counted(std::ssize(strays), "label file or folder", "label files or folders") +
      " of other formats beside these labels: not read, the first " + printable(first.name) + " (" +
      first.format->name + "); --format chooses");
}

Recognised inside(const Input& folder, const AnnotationOptions& options,
                  std::vector<InsideFolder> found, std::vector<std::string> remarks) {
  drop_without_boxes(found, remarks);
  if (found.size() > 1 && !join_as_splits(found, remarks)) several_inside(folder, found);
  refuse_broken_splits(folder, found, options);
  std::vector<LeftOutFolder> left_out = splits_without_labels(folder, found);
  note_left_out(left_out, remarks);
  if (found.size() > 1)
    return {.input = folder,
            .parts = std::move(found),
            .remarks = std::move(remarks),
            .left_out = std::move(left_out)};
  InsideFolder& only = found.front();
  return {.format = only.format,
          .input = std::move(only.input),
          .why = only.name + " in this folder: " + only.why,
          .split = only.split,
          .remarks = std::move(remarks),
          .left_out = std::move(left_out)};
}

}  // namespace

const AnnotationFormat& format_named(const std::string& name) {
  std::vector<std::string> known{"auto"};
  for (const AnnotationFormat* format : formats()) {
    if (name == format->name) return *format;
    known.emplace_back(format->name);
  }
  throw Error({.where = "--format", .what = unknown_name("label format", name, known)},
              Exit::usage);
}

Recognised recognise(const Input& input, const AnnotationOptions& options) {
  const AnnotationFormat* wanted =
      options.format == "auto" ? nullptr : &format_named(options.format);
  Recognised recognised{.input = input};
  std::string fitting, near, guess;
  std::vector<Misfit> misfits;
  for (const AnnotationFormat* format : formats()) {
    if (wanted && format != wanted) continue;
    const Recognition recognition = format->recognise(input, options);
    if (recognition.fits) fitting += explained(format->name, recognition.why);
    if (!recognition.fits) misfits.emplace_back(format, recognition.why);
    if (recognition.is_near) near = recognition.why;
    if (!recognition.fits) continue;
    if (recognised.format)
      throw Error({.where = input.path.string(),
                   .what = "may be of several formats",
                   .fix = "choose one by --format:" + fitting},
                  Exit::usage);
    recognised.format = format;
    recognised.why = recognition.why;
    recognised.rivals = recognition.rivals;
    if (recognition.is_guess) guess = ": " + recognition.why;
  }
  if (!wanted && recognised.format && std::string_view(recognised.format->name) == "folder")
    refuse_labels_beside(input, options, fitting);
  else if (!wanted && recognised.format) {
    const OtherLabels beside = others_inside(input, options, recognised);
    refuse_rivals(input, recognised, beside.rivals);
    note_strays(beside.strays, recognised);
  }
  // Class folders are read from the folder given, with all its pictures, and not in parts.
  const bool as_classes = wanted && std::string_view(wanted->name) == "folder";
  if (!recognised.format && input.is_folder && !as_classes) {
    std::vector<std::string> remarks;
    std::vector<InsideFolder> found =
        labels_inside(input, {.options = options, .format = wanted}, &remarks);
    if (!found.empty()) recognised = inside(input, options, std::move(found), std::move(remarks));
  }
  if (wanted && recognised.parts.empty()) {
    recognised.format = wanted;
    recognised.why = "--format " + options.format + guess;
  }
  if (recognised.format || !recognised.parts.empty()) return recognised;
  if (input.is_folder) refuse_voc_sets_below(input);
  if (!near.empty()) throw Error({.where = input.path.string(), .what = near});
  nothing_fits(input, misfits);
}

}  // namespace letterpress::annotations
