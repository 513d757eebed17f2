#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>

#include "archive.h"
#include "format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/suggest.h"
#include "picture_finder.h"
#include "text.h"
#include "tree.h"

namespace letterpress {
namespace annotations {
namespace fs = std::filesystem;

extern const AnnotationFormat cifar, coco, csv, folder, keras, labelme, voc, yolo;

namespace {

constexpr std::array entries{&cifar, &coco, &csv, &folder, &keras, &labelme, &voc, &yolo};
constexpr std::int64_t kHead = 64 * 1024;

std::string explained(const AnnotationFormat& format, const Recognition& recognition) {
  return std::string("\n  ") + format.name + ": " + recognition.why;
}

[[noreturn]] void nothing_fits(const Input& input, const std::string& reasons) {
  std::error_code ignored;
  const bool empty = input.is_folder ? fs::is_empty(input.path, ignored) : trim(input.head).empty() && input.is_whole;
  if (empty) {
    throw Error(input.path.string() + ": is empty; name a label file or a folder of labels (is a mount missing?)", Exit::no_input);
  }
  if (input.head.starts_with("\xFF\xFE") || input.head.starts_with("\xFE\xFF")) {
    throw Error(input.path.string() + ": is UTF-16 text, which only an .xml may be; save it as UTF-8");
  }
  const std::string inside = archive_in_use() ? ", or name the label file inside the archive (" + input.path.string() + "/train.txt)" : "";
  throw Error(input.path.string() + ": is of no known label format; name it by --format if one of these is wrong" + inside + ":" + reasons);
}

const AnnotationFormat& recognise(const Input& input, const AnnotationOptions& options, std::string& why) {
  const AnnotationFormat* found = nullptr;
  std::string fitting, others;
  for (const AnnotationFormat* format : entries) {
    const Recognition recognition = format->recognise(input, options);
    (recognition.fits ? fitting : others) += explained(*format, recognition);
    if (!recognition.fits) continue;
    if (found) throw Error(input.path.string() + ": may be of several formats; choose one by --format:" + fitting, Exit::usage);
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

void read_head(const File& file, std::int64_t offset, std::int64_t length, Input& input) {
  const std::int64_t n = std::min(length, kHead);
  input.is_whole = n == length;
  input.head.resize(static_cast<std::size_t>(n));
  file.read_at(offset, std::as_writable_bytes(std::span(input.head)));
  input.is_text = input.head.find('\0') == std::string::npos;
}

void refuse_compressed(const Input& input) {
  struct Compression {
    std::string_view magic, name, tool;
  };
  constexpr std::array compressions{Compression{"\x1F\x8B", "gzip", "gunzip -k"}, Compression{"BZh", "bzip2", "bunzip2 -k"},
                                    Compression{"\xFD"
                                                "7zXZ",
                                                "xz", "unxz -k"},
                                    Compression{"\x28\xB5\x2F\xFD", "zstd", "unzstd"}};
  for (const Compression& compression : compressions) {
    if (!input.head.starts_with(compression.magic)) continue;
    throw Error(input.path.string() + ": is compressed by " + std::string(compression.name) +
                ", and pictures are read in place, at their bytes; uncompress it first: " + std::string(compression.tool) + " " +
                input.path.string());
  }
}

Input look_into_archive(Input input) {
  input.is_folder = is_folder(input.path);
  if (input.is_folder) return input;
  const FileBytes place = bytes_of(input.path);
  read_head(File::open_to_read(place.path), place.offset, place.length, input);
  return input;
}

// The folder that holds all of a folder in the archive; empty: there is none.
std::string only_folder_in(const fs::path& folder) {
  std::string name, only;
  archive_in_use()->locate(folder.string(), name);
  const std::string prefix = name.empty() ? "" : name + "/";
  for (const ArchiveMember& member : archive_in_use()->members()) {
    if (!member.name.starts_with(prefix)) continue;
    const std::string top = member.name.substr(prefix.size(), member.name.find('/', prefix.size()) - prefix.size());
    if (!only.empty() && top != only) return {};
    only = top;
  }
  return is_folder(folder / only) ? only : "";
}

// Archives are often packed with one folder around all they hold.
Input without_wrapper(Input input, const AnnotationOptions& options) {
  const auto fits = [&](const AnnotationFormat* format) {
    return (options.format == "auto" || options.format == format->name) && format->recognise(input, options).fits;
  };
  while (input.is_folder) {
    const std::string only = only_folder_in(input.path);
    if (only.empty()) break;
    // A data.yaml knows more than the pictures and labels beside it.
    if (std::any_of(entries.begin(), entries.end(), fits) && !is_there(input.path / only / "data.yaml")) break;
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
  const AnnotationFormat& format = automatic ? recognise(seen, options, set.recognised_by) : named(options.format);
  set.format = format.name;
  format.read(seen, options, set);
  return set;
}

AnnotationSet read_archive(const Archive& archive, const fs::path& path, const AnnotationOptions& options) {
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

Input look_at(const fs::path& path) {
  Input input;
  input.path = path;
  if (archive_in_use()) return look_into_archive(std::move(input));
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    const std::string why = error && status.type() != fs::file_type::not_found ? ": " + error.message() : "";
    throw Error(path.string() + ": there is no such label file or folder" + why + "; check --input (is a mount missing?)", Exit::no_input);
  }
  input.is_folder = fs::is_directory(status);
  if (input.is_folder) return input;
  const File file = File::open_to_read(path);
  if (!file.is_regular()) throw Error(path.string() + ": is no regular file; name a label file or a folder of labels", Exit::no_input);
  read_head(file, 0, file.size(), input);
  refuse_compressed(input);
  return input;
}

void reject_picture(AnnotationSet& set, Reject reject, std::int64_t boxes) {
  set.rejects.push_back(std::move(reject));
  set.boxes_found += boxes;
  set.boxes_rejected += boxes;
}

Reject of_picture(Reject reject, const Item& item) {
  reject.name = printable(item.name, 1000);
  reject.path = printable(picture_path(item), 4096);
  return reject;
}

Reject too_many_boxes(const std::string& where, std::int64_t boxes, std::int64_t max_boxes) {
  return {where, "holds " + std::to_string(boxes) + " boxes, at most " + std::to_string(max_boxes) + " are allowed",
          "split the picture or remove boxes"};
}

Expected<std::string> read_label_file(const fs::path& path) {
  try {
    return read_text(path);
  } catch (const Error&) {
    std::string fault = file_fault(path.string());
    if (fault.empty() && ::access(path.c_str(), R_OK) != 0 && errno == EACCES) fault = "cannot be read: permission denied";
    if (fault.empty()) throw;
    return Reject{printable(path.string(), 1000), fault, "restore this label file or take its picture off the list"};
  }
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

}  // namespace annotations

AnnotationSet read_annotations(const std::filesystem::path& input, const AnnotationOptions& options) {
  if (options.format != "auto") annotations::named(options.format);
  const std::optional<annotations::Archive> archive = annotations::archive_on_the_way(input);
  if (archive) return annotations::read_archive(*archive, input, options);
  return annotations::read_input(annotations::look_at(input), options);
}

std::vector<AnnotationFormatInfo> annotation_formats() {
  std::vector<AnnotationFormatInfo> list;
  for (const annotations::AnnotationFormat* format : annotations::formats()) list.push_back({format->name, format->help});
  return list;
}

}  // namespace letterpress
