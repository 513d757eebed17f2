#pragma once
#include <filesystem>
#include <span>
#include <string>

#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// What formats look at to recognise an --input.
struct Input {
  std::filesystem::path path;
  bool is_folder = false;
  std::string head;      ///< the file's first 64 KiB; empty for a folder
  bool is_whole = true;  ///< head is all of it
  bool is_text = true;   ///< head holds no NUL byte
};
Input look_at(const std::filesystem::path& path);  ///< throws Error (no_input) when there is no such file or folder

/// Whether an input is of a format, and why or why not: "line 1 ends in a box x1,y1,x2,y2,class".
struct Recognition {
  bool fits = false;
  std::string why;
};

/// One label format. Its file holds everything about it and ends in this entry.
struct AnnotationFormat {
  const char* name;
  const char* help;
  Recognition (*recognise)(const Input& input, const AnnotationOptions& options);
  /// Fills everything but format and recognised_by. Throws Error when the input cannot be read as a whole.
  void (*read)(const Input& input, const AnnotationOptions& options, AnnotationSet& set);
};
std::span<const AnnotationFormat* const> formats();  ///< alphabetical

/// Adds a picture's reject, its `boxes` counted as found and rejected.
void reject_picture(AnnotationSet& set, Reject reject, std::int64_t boxes);
/// The reject with the name and path of its picture, by which people find it.
Reject of_picture(Reject reject, const Item& item);
/// A picture that holds more boxes than options allow.
Reject too_many_boxes(const std::string& where, std::int64_t boxes, std::int64_t max_boxes);
/// A picture's own label file as text, or why it cannot be used. Throws Error when the disk fails.
Expected<std::string> read_label_file(const std::filesystem::path& path);
std::filesystem::path folder_of(const std::filesystem::path& file);  ///< "." for a bare name

}  // namespace letterpress::annotations
