#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "file_tree.h"
#include "letterpress/annotations/annotations.h"
#include "letterpress/base/folder.h"

namespace letterpress::annotations {

/// What formats look at to recognise an --input, and all that they see of the files around it.
struct Input {
  FileTree files{};
  std::filesystem::path path{};
  bool is_folder = false;
  std::string head{};    ///< the file's first 64 KiB; empty for a folder
  bool is_whole = true;  ///< head is all of it
  bool is_text = true;   ///< head holds no NUL byte

  /// The folder itself, or the one that holds the file ("." for a bare name).
  std::filesystem::path folder() const;
};
/// Throws Error (no_input) when there is no such file or folder.
Input look_at(const FileTree& files, const std::filesystem::path& path);

/// Its whole path, without a slash at the end.
std::filesystem::path absolute_folder(const std::filesystem::path& folder);

/// A list of pictures or names as text. Throws Error when it cannot be read, or is UTF-16.
std::string read_list_file(const FileTree& files, const std::filesystem::path& path);
/// A picture's own label file as text, or why it cannot be used. Throws Error when the disk fails.
Expected<std::string> read_label_file(const FileTree& files, const std::filesystem::path& path);
/// Why a picture that was found in a folder cannot be used: its name there is not UTF-8, or it is
/// not a regular file. Empty: it can. Throws Error when the disk fails.
std::optional<Message> picture_fault(const FileTree& files, const std::string& path,
                                     std::string_view name);

/// Adds a picture; its boxes and texts keep no more memory than they need.
void add_picture(AnnotationSet& set, Item item);
/// Notes in which folder, from the input's, the label file of the picture is that was added last,
/// if one was: it may name a split. pictures: how many there were before.
void note_label_folder(AnnotationSet& set, std::size_t pictures, const std::string& label_file);
/// Adds a picture's reject; its `boxes` count as found and rejected. split: as the label file
/// states it.
void reject_picture(AnnotationSet& set, Reject reject, std::int64_t boxes,
                    const std::string& split = "");
/// The reject with the name and path of its picture, by which people find it.
Reject of_picture(Reject reject, const Item& item);
/// For a picture that holds more boxes than the options allow.
Reject too_many_boxes(const std::string& where, std::int64_t boxes, std::int64_t max_boxes);

}  // namespace letterpress::annotations
