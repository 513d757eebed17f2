#include <algorithm>
#include <array>
#include <optional>

#include "archive.h"
#include "format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/suggest.h"
#include "text.h"
#include "tree.h"

namespace letterpress {
namespace annotations {
namespace fs = std::filesystem;

extern const AnnotationFormat cifar, coco, csv, folder, keras, labelme, voc, yolo;

namespace {

constexpr std::array entries{&cifar, &coco, &csv, &folder, &keras, &labelme, &voc, &yolo};

std::string explained(const AnnotationFormat& format, const Recognition& recognition) {
  return std::string("\n  ") + format.name + ": " + recognition.why;
}

[[noreturn]] void nothing_fits(const Input& input, const std::string& reasons) {
  std::error_code ignored;
  const bool empty = input.is_folder ? fs::is_empty(input.path, ignored)
                                     : trim(input.head).empty() && input.is_whole;
  if (empty) {
    throw Error(input.path.string() +
                    ": is empty; name a label file or a folder of labels (is a mount missing?)",
                Exit::no_input);
  }
  if (input.head.starts_with("\xFF\xFE") || input.head.starts_with("\xFE\xFF")) {
    throw Error(input.path.string() +
                ": is UTF-16 text, which only an .xml may be; save it as UTF-8");
  }
  const std::string inside = archive_in_use() ? ", or name the label file inside the archive (" +
                                                    input.path.string() + "/train.txt)"
                                              : "";
  throw Error(input.path.string() +
              ": is of no known label format; name it by --format if one of these is wrong" +
              inside + ":" + reasons);
}

const AnnotationFormat& recognise(const Input& input, const AnnotationOptions& options,
                                  std::string& why) {
  const AnnotationFormat* found = nullptr;
  std::string fitting, others;
  for (const AnnotationFormat* format : entries) {
    const Recognition recognition = format->recognise(input, options);
    (recognition.fits ? fitting : others) += explained(*format, recognition);
    if (!recognition.fits) continue;
    if (found)
      throw Error(
          input.path.string() + ": may be of several formats; choose one by --format:" + fitting,
          Exit::usage);
    found = format;
    why = recognition.why;
  }
  if (!found) nothing_fits(input, others);
  return *found;
}

const AnnotationFormat& named(const std::string& name) {
  std::vector<std::string> known{"auto"};
  for (const AnnotationFormat* format : entries) {
    if (name == format->name) return *format;
    known.emplace_back(format->name);
  }
  throw Error("--format: " + unknown_name("label format", name, known), Exit::usage);
}

// Archives are often packed with one folder around all they hold.
Input without_wrapper(Input input, const AnnotationOptions& options) {
  const auto fits = [&](const AnnotationFormat* format) {
    return (options.format == "auto" || options.format == format->name) &&
           format->recognise(input, options).fits;
  };
  while (input.is_folder) {
    const std::string only = only_folder_in(input.path);
    if (only.empty()) break;
    // A data.yaml knows more than the pictures and labels beside it.
    if (std::any_of(entries.begin(), entries.end(), fits) &&
        !is_there(input.path / only / "data.yaml"))
      break;
    input.path /= only;
  }
  return input;
}

// Members get the archive's path and their place in it.
void place_in_archive(AnnotationSet& set) {
  for (Item& item : set.items) {
    FileBytes place = bytes_of(item.path);
    if (place.length < 0) continue;
    std::string name;
    archive_in_use()->locate(item.path, name);
    item.member = name + (item.member.empty() ? "" : "/" + item.member);
    item.path = std::move(place.path);
    item.offset += place.offset;
    if (item.length < 0) item.length = place.length;
  }
}

AnnotationSet read_input(const Input& seen, const AnnotationOptions& options) {
  const bool automatic = options.format == "auto";
  AnnotationSet set;
  set.recognised_by = "--format " + options.format;
  const AnnotationFormat& format =
      automatic ? recognise(seen, options, set.recognised_by) : named(options.format);
  set.format = format.name;
  format.read(seen, options, set);
  return set;
}

AnnotationSet read_archive(const Archive& archive, const fs::path& path,
                           const AnnotationOptions& options) {
  const ArchiveInUse use(&archive);
  const Input seen = without_wrapper(look_at(path), options);
  AnnotationSet set = read_input(seen, options);
  set.recognised_by = "in a tar archive: " + set.recognised_by;
  place_in_archive(set);
  if (seen.is_folder) {
    for (const Reject& reject : archive.rejects()) reject_picture(set, reject, 0);
  }
  return set;
}

}  // namespace

std::span<const AnnotationFormat* const> formats() { return entries; }

}  // namespace annotations

AnnotationSet read_annotations(const std::filesystem::path& input,
                               const AnnotationOptions& options) {
  if (options.format != "auto") annotations::named(options.format);
  const std::optional<annotations::Archive> archive = annotations::archive_on_the_way(input);
  if (archive) return annotations::read_archive(*archive, input, options);
  return annotations::read_input(annotations::look_at(input), options);
}

std::vector<AnnotationFormatInfo> annotation_formats() {
  std::vector<AnnotationFormatInfo> list;
  for (const annotations::AnnotationFormat* format : annotations::formats())
    list.push_back({format->name, format->help});
  return list;
}

}  // namespace letterpress
