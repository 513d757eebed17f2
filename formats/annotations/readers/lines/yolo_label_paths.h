#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// Where a picture's label file may be, the likelier first: in the folder `labels` in place of
/// `images`, or beside it.
std::vector<std::string> yolo_label_paths(const std::string& picture);

/// The first of these that exists; empty: the picture has none. Cameras and old disks write a.TXT
/// beside a.JPG.
/// A link that leads nowhere is there, and cannot be read.
std::string yolo_label_of(const FileTree& files, const std::string& picture);

/// A folder of pictures as people see it, and where its links lead if that is another one: labels
/// are beside either. Absolute.
std::vector<std::filesystem::path> yolo_bases(const FileTree& files,
                                              const std::filesystem::path& folder);
/// The label file of the picture `name` in a folder of these bases, the first of them first, or
/// else, where a folder below is a link, of where that leads.
std::string yolo_label_of(const FileTree& files, const std::vector<std::filesystem::path>& bases,
                          const std::string& name);

/// `path` with its last letters replaced by `ending`, which is as long as what it replaces.
std::string with_ending(std::string path, std::string_view ending);

/// Whether a .txt beside label files is a list of classes: classes.txt, labels.txt.
bool is_class_list(const std::filesystem::path& file);
/// Label files below a folder, from the folder, sorted: all .txt and .TXT but lists of classes.
std::vector<std::string> yolo_label_files(const FileTree& files,
                                          const std::filesystem::path& folder,
                                          AnnotationSet* set = nullptr);

}  // namespace letterpress::annotations
