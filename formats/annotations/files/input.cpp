#include "input.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "letterpress/base/error.h"
#include "letterpress/base/git_lfs.h"
#include "letterpress/base/look.h"
#include "text.h"

namespace letterpress::annotations {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kRead = 64 * 1024;

const Message kUtf16{
    .where = {}, .what = "is UTF-16 text, which only an .xml may be", .fix = "save it as UTF-8"};

// A disk or a server that fails does not mean that nothing is there.
void require_on_disk(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) return;
  const bool is_missing = status.type() == fs::file_type::not_found;
  if (!is_missing && !says_absent(error.value()))
    throw system_error(path.string(), "cannot be examined", error.value());
  const std::string why = is_missing ? "" : ": " + error.message();
  throw Error({.where = path.string(),
               .what = "there is no such label file or folder" + why,
               .fix = "check --input (is a mount missing?)"},
              Exit::no_input);
}

}  // namespace

fs::path Input::folder() const { return is_folder ? path : folder_of(path); }

fs::path absolute_folder(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

Input look_at(const FileTree& files, const fs::path& path) {
  if (!files.archive()) require_on_disk(path);
  Input input{.files = files, .path = path, .is_folder = files.is_folder(path)};
  if (input.is_folder) return input;
  input.is_whole = files.size_of(path, "name a label file or a folder of labels") <= kRead;
  input.head = files.read_head(path, kRead);
  input.is_text = input.head.find('\0') == std::string::npos;
  return input;
}

std::string read_list_file(const FileTree& files, const fs::path& path) {
  std::string text = files.read_text(path);
  if (is_utf16(text)) throw Error({path.string(), kUtf16.what, kUtf16.fix});
  return text;
}

Expected<std::string> read_label_file(const FileTree& files, const fs::path& path) {
  try {
    std::string text = files.read_text(path);
    if (is_utf16(text) && path.extension() != ".xml")
      return Reject{printable(path.string(), 1000), kUtf16.what, kUtf16.fix};
    if (is_git_lfs_pointer(text))
      return Reject{printable(path.string(), 1000), kIsGitLfsPointer, kFetchGitLfs};
    return text;
  } catch (const Error&) {
    std::string fault = files.file_fault(path.string());
    if (files.leads_nowhere(path)) fault = "is missing: a symbolic link leads nowhere";
    if (fault.empty() && ::access(path.c_str(), R_OK) != 0 && errno == EACCES)
      fault = "cannot be read: permission denied";
    if (fault.empty()) throw;
    return Reject{printable(path.string(), 1000), fault,
                  "restore this label file or take its picture off the list"};
  }
}

std::optional<Message> picture_fault(const FileTree& files, const std::string& path,
                                     std::string_view name) {
  if (!is_utf8(name))
    return Message{.what = "its name is not UTF-8",
                   .fix = "rename it, as convmv -f latin1 -t utf8 --notest does"};
  const std::string fault = files.file_fault(path);
  if (fault.empty()) return std::nullopt;
  return Message{.what = fault, .fix = "replace it by a picture file"};
}

void add_picture(AnnotationSet& set, Item item) {
  item.boxes.shrink_to_fit();
  for (std::string* text : {&item.path, &item.name, &item.where}) text->shrink_to_fit();
  set.items.push_back(std::move(item));
}

void note_label_folder(AnnotationSet& set, std::size_t pictures, const std::string& label_file) {
  if (set.items.size() == pictures) return;
  const std::size_t slash = label_file.rfind('/');
  std::string folder = label_file.substr(0, slash == std::string::npos ? 0 : slash);
  if (set.label_folders.empty() || set.label_folders.back() != folder)
    set.label_folders.push_back(std::move(folder));
  set.items.back().label_folder = static_cast<std::int32_t>(set.label_folders.size()) - 1;
}

void reject_picture(AnnotationSet& set, Reject reject, std::int64_t boxes,
                    const std::string& split) {
  reject.split = split;
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
  return {where,
          "holds " + std::to_string(boxes) + " boxes, at most " + std::to_string(max_boxes) +
              " are allowed",
          "split the picture or remove boxes"};
}

}  // namespace letterpress::annotations
