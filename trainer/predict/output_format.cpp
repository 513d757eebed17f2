#include "trainer/predict/output_format.h"

#include <array>
#include <map>
#include <set>

#include "letterpress/base/registry.h"
#include "letterpress/detections/valid_utf8.h"

namespace letterpress {

extern const OutputFormatEntry coco_output, json_output, voc_output, yolo_output;

std::span<const OutputFormatEntry* const> output_formats() {
  static constexpr std::array<const OutputFormatEntry*, 4> entries{&json_output, &coco_output,
                                                                   &voc_output, &yolo_output};
  return entries;
}

const OutputFormatEntry& find_output_format(const std::string& name) {
  return find_entry(output_formats(), "format", name);
}

std::filesystem::path label_file(const std::filesystem::path& out, const PictureInput& picture,
                                 const char* extension) {
  return (out / picture.name).replace_extension(extension);
}

void check_named_once(const std::vector<PictureInput>& pictures) {
  std::set<std::filesystem::path> files;
  for (const PictureInput& picture : pictures) {
    // A link to a picture is one of its own, a folder has one name only.
    const std::filesystem::path folder =
        std::filesystem::weakly_canonical(std::filesystem::absolute(picture.file).parent_path());
    if (files.insert(folder / picture.file.filename()).second) continue;
    throw Error({.where = "--input",
                 .what = picture.file.string() + " is named twice",
                 .fix = "name it once"},
                Exit::usage);
  }
}

void check_picture_names(const std::vector<PictureInput>& pictures) {
  std::map<std::filesystem::path, std::filesystem::path> files;
  for (const PictureInput& picture : pictures) {
    if (valid_utf8(picture.name.string()) != picture.name.string())
      throw Error({.where = "--input",
                   .what = "the name of " + picture.file.string() +
                           " is not UTF-8, and this format knows pictures by their names alone",
                   .fix = "rename it, or take --format json"},
                  Exit::usage);
    const auto [other, fresh] = files.emplace(picture.name, picture.file);
    if (fresh) continue;
    throw Error({.where = "--input",
                 .what = other->second.string() + " and " + picture.file.string() +
                         " would both be '" + other->first.string() + "'",
                 .fix = "name the folder above both, or give each an --out of its own"},
                Exit::usage);
  }
}

void check_label_names(const std::vector<PictureInput>& pictures, const OutputFormatEntry& format) {
  std::map<std::filesystem::path, std::filesystem::path> files;
  for (const PictureInput& picture : pictures) {
    if (format.lists_classes && label_file({}, picture, "") == "classes")
      throw Error({.where = "--input",
                   .what = "the labels of " + picture.file.string() +
                           " would be classes.txt, which lists the classes",
                   .fix = "rename it, or take another --format"},
                  Exit::usage);
    const auto [other, fresh] = files.emplace(label_file({}, picture, ""), picture.file);
    if (fresh) continue;
    throw Error({.where = "--input",
                 .what = other->second.string() + " and " + picture.file.string() +
                         " would have labels of one name, '" + other->first.string() + "'",
                 .fix = "rename one of them, or give each an --out of its own"},
                Exit::usage);
  }
}

}  // namespace letterpress
