#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "format.h"
#include "letterpress/base/error.h"
#include "letterpress/base/file.h"
#include "letterpress/base/suggest.h"
#include "picture_finder.h"
#include "text.h"

namespace letterpress {
namespace annotations {
namespace fs = std::filesystem;

extern const AnnotationFormat coco, keras, voc, yolo;

namespace {

constexpr std::array entries{&coco, &keras, &voc, &yolo};
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
  throw Error(input.path.string() + ": is of no known label format; name it by --format if one of these is wrong:" + reasons);
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

}  // namespace

std::span<const AnnotationFormat* const> formats() { return entries; }

Input look_at(const fs::path& path) {
  Input input;
  input.path = path;
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
  const std::int64_t n = std::min(file.size(), kHead);
  input.is_whole = n == file.size();
  input.head.resize(static_cast<std::size_t>(n));
  file.read_at(0, std::as_writable_bytes(std::span(input.head)));
  const bool utf16 = input.head.starts_with("\xFF\xFE") || input.head.starts_with("\xFE\xFF");
  input.is_text = utf16 || input.head.find('\0') == std::string::npos;
  return input;
}

void reject_picture(AnnotationSet& set, Reject reject, std::int64_t boxes) {
  set.rejects.push_back(std::move(reject));
  set.boxes_found += boxes;
  set.boxes_rejected += boxes;
}

Reject too_many_boxes(const std::string& where, std::int64_t boxes, std::int64_t max_boxes) {
  return {where, "holds " + std::to_string(boxes) + " boxes, at most " + std::to_string(max_boxes) + " are allowed",
          "split the picture or remove boxes"};
}

Expected<std::string> read_label_file(const fs::path& path) {
  try {
    return read_file(path);
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
  const bool automatic = options.format == "auto";
  const annotations::AnnotationFormat* format = automatic ? nullptr : &annotations::named(options.format);
  const annotations::Input seen = annotations::look_at(input);
  AnnotationSet set;
  set.recognised_by = "--format " + options.format;
  if (automatic) format = &annotations::recognise(seen, options, set.recognised_by);
  set.format = format->name;
  format->read(seen, options, set);
  return set;
}

std::vector<AnnotationFormatInfo> annotation_formats() {
  std::vector<AnnotationFormatInfo> list;
  for (const annotations::AnnotationFormat* format : annotations::formats()) list.push_back({format->name, format->help});
  return list;
}

}  // namespace letterpress
