#include <algorithm>
#include <array>
#include <optional>
#include <ranges>

#include "coordinates.h"
#include "folder_splits.h"
#include "formats/annotations/files/archive.h"
#include "formats/annotations/files/disk_walk.h"
#include "formats/annotations/files/split_words.h"
#include "formats/annotations/files/text.h"
#include "formats/annotations/shared/data_yaml.h"
#include "formats/annotations/shared/format.h"
#include "letterpress/base/look.h"
#include "listed_splits.h"
#include "recognise.h"
#include "split_parts.h"

namespace letterpress {
namespace annotations {
namespace fs = std::filesystem;

extern const AnnotationFormat cifar, coco, createml, csv, cvat, fiftyone, folder, huggingface,
    keras, kitti, label_studio, labelbox, labelme, open_images, supervisely, via, voc, yolo;

namespace {

constexpr std::array entries{&cifar,   &coco,        &createml,    &csv,   &cvat,         &fiftyone,
                             &folder,  &huggingface, &keras,       &kitti, &label_studio, &labelbox,
                             &labelme, &open_images, &supervisely, &via,   &voc,          &yolo};

// The one folder that holds all of `folder`, below the archive's path; empty: there is none.
std::string only_folder_in(const FileTree& files, const fs::path& folder) {
  std::string name, only;
  files.archive()->locate(folder.string(), name);
  const std::string prefix = name.empty() ? "" : name + "/";
  for (const ArchiveMember& member : files.archive()->members()) {
    if (!member.name.starts_with(prefix) || is_left_by_a_system(member.name.substr(prefix.size())))
      continue;
    const std::string top =
        member.name.substr(prefix.size(), member.name.find('/', prefix.size()) - prefix.size());
    if (!only.empty() && top != only) return {};
    only = top;
  }
  return files.is_folder(folder / only) ? only : "";
}

// Archives are often packed with one folder around all they hold.
Input without_wrapper(Input input, const AnnotationOptions& options) {
  const auto fits = [&](const AnnotationFormat* format) {
    return (options.format == "auto" || options.format == format->name) &&
           format->recognise(input, options).fits;
  };
  while (input.is_folder) {
    const std::string only = only_folder_in(input.files, input.path);
    if (only.empty()) break;
    // A data.yaml and a classes.txt know more than the pictures and labels beside them.
    const bool knows_more = !data_yaml_in(input.files, input.path / only).empty() ||
                            input.files.exists(input.path / only / "classes.txt");
    if (std::any_of(entries.begin(), entries.end(), fits) && !knows_more) break;
    // A folder that is called after a split is none of the archive's, but says whose labels it has.
    if (!split_of_folders(only).empty() && !labels_inside(input, {.options = options}).empty())
      break;
    input.path /= only;
  }
  return input;
}

// Items that are members get the archive's path and the place of their bytes in it.
void set_members(const FileTree& files, AnnotationSet& set) {
  for (Item& item : set.items) {
    FileBytes bytes = files.bytes_of(item.path);
    if (bytes.length < 0) continue;
    std::string name;
    files.archive()->locate(item.path, name);
    item.member = name + (item.member.empty() ? "" : "/" + item.member);
    item.path = std::move(bytes.path);
    item.offset += bytes.offset;
    if (item.length < 0) item.length = bytes.length;
  }
}

// Of a folder in which a folder of another split's labels alone was found: "; train is not read as
// voc: a folder without XMLs".
std::string why_not_train(const Input& folder, const Recognised& found,
                          const AnnotationOptions& options) {
  if (!found.input.is_folder) return {};
  for (const auto& [name, split] : called_after_splits(folder.files.names_in(folder.path))) {
    const fs::path path = folder.path / name;
    if (split != "train" || !folder.files.is_folder(path)) continue;
    const Recognition train = found.format->recognise(look_at(folder.files, path), options);
    if (!train.fits)
      return "; " + printable(name) + " is not read as " + found.format->name + ": " + train.why;
  }
  return {};
}

void note_links_left(AnnotationSet& set) {
  constexpr std::size_t kShown = 3;
  if (set.links_left.empty()) return;
  std::string list;
  for (const std::string& link : set.links_left | std::views::take(kShown))
    list += (list.empty() ? "" : "; ") + link;
  const auto n = static_cast<std::int64_t>(set.links_left.size());
  set.remarks.push_back(counted(n, "link to a folder is", "links to folders are") +
                        " not followed: " + list + (set.links_left.size() > kShown ? "; ..." : "") +
                        ". Restore what is missing, or put the folder in the link's place");
}

// Of a folder in an archive all is known, what a Mac packs beside the folder of the set among it.
void count_left_in(const Archive& archive, const fs::path& folder, AnnotationSet& set) {
  std::string name;
  if (!archive.locate(folder.string(), name)) return;
  const std::string prefix = name.empty() ? "" : name + "/";
  set.passed_over.clear();
  for (const ArchiveMember& member : archive.members()) {
    if (!member.name.starts_with(prefix)) continue;
    const std::string below = member.name.substr(prefix.size());
    if (is_left_by_a_system(below) && !is_in_hidden_folder(below)) set.passed_over.insert(below);
  }
}

// given: the --input, whose one folder may be what is seen.
AnnotationSet read_input(const Input& seen, const fs::path& given,
                         const AnnotationOptions& options) {
  AnnotationSet set;
  const Recognised found = recognise(seen, options);
  if (!found.parts.empty()) several_inside(seen, found.parts);
  set.format = found.format->name;
  set.recognised_by = found.why;
  set.remarks = found.remarks;
  set.left_out = found.left_out;
  found.format->read(found.input, options, set);
  if (found.rivals == Rivals::all) {
    std::vector<LeftOutFolder> left_out = splits_without_items(found.input, set);
    std::erase_if(left_out, [&](const LeftOutFolder& one) {
      return std::ranges::find(set.left_out, one.folder, &LeftOutFolder::folder) !=
             set.left_out.end();
    });
    note_left_out(left_out, set.remarks);
    std::ranges::move(left_out, std::back_inserter(set.left_out));
  }
  if (seen.files.archive() && seen.is_folder) count_left_in(*seen.files.archive(), given, set);
  if (const auto n = static_cast<std::int64_t>(set.passed_over.size()); n > 0) {
    set.remarks.push_back("passed over " + counted(n, "file", "files") +
                          " that systems and notebooks leave (._*, __MACOSX, .DS_Store, Thumbs.db, "
                          ".ipynb_checkpoints)");
  }
  if (const auto n = static_cast<std::int64_t>(set.hidden.size()); n > 0) {
    set.remarks.push_back("passed over " + counted(n, "file", "files") +
                          " in hidden folders and those of thumbnails or a recycle bin (.*, "
                          "@eaDir, #recycle, #snapshot, @Recycle, @Recently-Snapshot, RECYCLER, "
                          "$RECYCLE.BIN, System Volume Information, lost+found), the first " +
                          printable(*set.hidden.begin(), 1000));
  }
  note_links_left(set);
  settle_folder_splits(seen, found.input, options, set);
  settle_coordinates(options, found.input.path.string(), set);
  return set;
}

AnnotationSet read_archive(const Archive& archive, const fs::path& path,
                           const AnnotationOptions& options) {
  const FileTree files(archive);
  const Input seen = without_wrapper(look_at(files, path), options);
  AnnotationSet set = read_input(seen, path, options);
  set.recognised_by = std::string("in a ") + archive.kind() + " archive: " + set.recognised_by;
  if (const auto n = static_cast<std::int64_t>(archive.nested().size()); n > 0) {
    set.remarks.push_back("passed over " + counted(n, "archive", "archives") + " within it (" +
                          printable(archive.nested().front()) + (n > 1 ? ", ..." : "") +
                          "): unpack it to have what " + (n > 1 ? "they hold" : "that holds"));
  }
  set.remarks.insert(set.remarks.end(), archive.remarks().begin(), archive.remarks().end());
  set_members(files, set);
  if (seen.is_folder) {
    for (const Reject& reject : archive.rejects()) reject_picture(set, reject, 0);
  }
  return set;
}

}  // namespace

std::span<const AnnotationFormat* const> formats() { return entries; }

}  // namespace annotations

LabelParts label_parts(const std::filesystem::path& input, const AnnotationOptions& options) {
  if (options.format != "auto") annotations::format_named(options.format);
  const std::optional<annotations::Archive> archive =
      annotations::archive_on_the_way(input, options.unpacked);
  annotations::Input seen = annotations::look_at(
      archive ? annotations::FileTree(*archive) : annotations::FileTree(), input);
  if (!seen.is_folder) return {};
  if (archive) seen = annotations::without_wrapper(std::move(seen), options);
  annotations::Recognised found = annotations::recognise(seen, options);
  if (!found.split.empty() && found.split != "train") {
    throw Error({.where = input.string(),
                 .what = "holds labels of " + found.split + " alone (" + found.why + ")" +
                         annotations::why_not_train(seen, found, options),
                 .fix = "restore the labels of train, or name the file or folder of labels to "
                        "train on it"},
                Exit::usage);
  }
  LabelParts parts;
  for (const annotations::InsideFolder& part : found.parts)
    parts.parts.push_back({part.input.path, part.split});
  if (found.format && std::string_view(found.format->name) == "voc") {
    parts.parts =
        annotations::listed_splits(found.input, *found.format, options, parts.list_remarks);
    parts.are_lists = !parts.parts.empty();
    if (!parts.are_lists && found.input.path != seen.path)
      annotations::note_lists_beside(seen, found.input.path, parts.list_remarks);
    if (!parts.are_lists && !archive && found.input.path == seen.path)
      annotations::note_lists_above(seen, *found.format, options, parts.list_remarks);
  }
  if (!parts.parts.empty()) {
    parts.remarks = std::move(found.remarks);
    parts.left_out = std::move(found.left_out);
  }
  return parts;
}

std::string split_called(const std::filesystem::path& labels) {
  const std::string name = labels.filename().string();
  return is_folder_at(labels) ? annotations::split_of_folders(name) : annotations::split_in(name);
}

std::string doubtful_split_called(const std::filesystem::path& labels) {
  return annotations::doubtful_split_in(labels.filename().string());
}

AnnotationSet read_annotations(const std::filesystem::path& input,
                               const AnnotationOptions& options) {
  if (options.format != "auto") annotations::format_named(options.format);
  const std::optional<annotations::Archive> archive =
      annotations::archive_on_the_way(input, options.unpacked);
  if (archive) return annotations::read_archive(*archive, input, options);
  return annotations::read_input(annotations::look_at({}, input), input, options);
}

std::vector<AnnotationFormatInfo> annotation_formats() {
  std::vector<AnnotationFormatInfo> list;
  for (const annotations::AnnotationFormat* format : annotations::formats())
    list.push_back({format->name, format->help});
  return list;
}

}  // namespace letterpress
