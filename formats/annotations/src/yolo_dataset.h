#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// One place of pictures: a folder (all pictures below it) or a list file.
struct YoloSource {
  std::filesystem::path place;
  std::string split;  ///< "train", "val", "test", or empty
};

/// What a data.yaml, or a bare list or folder, says.
struct YoloDataset {
  std::filesystem::path folder;  ///< pictures may lie below it; relative paths start here
  std::vector<std::string> classes;
  std::string classes_from;         ///< "data.yaml"
  std::vector<YoloSource> sources;  ///< train, val, test in this order
};

/// Reads a data.yaml: path, train, val, test (a folder, a list file or a list of them), names
/// (list, or map 0..n-1), nc. Throws Error naming the line for what is no YAML or not of this form.
YoloDataset read_data_yaml(const std::filesystem::path& path, const AnnotationOptions& options);

}  // namespace letterpress::annotations
