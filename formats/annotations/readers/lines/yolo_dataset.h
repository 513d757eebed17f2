#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/annotations/files/file_tree.h"

namespace letterpress::annotations {

/// A folder (all pictures below it) or a list file.
struct YoloSource {
  std::filesystem::path path;
  std::string split;       ///< "train", "val", "test", or empty
  bool is_labels = false;  ///< the folder is one of label files, whose pictures are elsewhere
  /// A list beside the pictures, whose lines may leave out folders and extensions.
  bool is_split_list = false;
};

/// What a data.yaml, or a bare list or folder, says.
struct YoloDataset {
  std::filesystem::path folder;  ///< pictures may be below it; relative paths start here
  std::vector<std::string> classes;
  std::string classes_from;          ///< "data.yaml"
  std::vector<YoloSource> sources;   ///< train, val, test in this order
  std::size_t keypoint_numbers = 0;  ///< behind each box, as kpt_shape says; 0: not stated
  std::vector<std::string> remarks{};
  /// Folders beside the set's own in the input: those of which nothing is read are told.
  std::vector<std::filesystem::path> beside{};
};

/// Reads a data.yaml: path, train, val, test (a folder, a list file or a list of them), names
/// (list, or map 0..n-1), nc, kpt_shape. A folder of test that is not there is left out and said:
/// Roboflow writes one into every data.yaml. Where none of the splits is named, images/ beside it
/// is taken, or the folders there that are called as splits, and that is said. Throws Error naming
/// the line when it is not YAML or not of this form, or has one of these keys twice. Another key
/// that leads to pictures is told.
YoloDataset read_data_yaml(const FileTree& files, const std::filesystem::path& path,
                           const AnnotationOptions& options);

}  // namespace letterpress::annotations
