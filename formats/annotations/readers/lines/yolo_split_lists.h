#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "formats/annotations/files/input.h"
#include "yolo_dataset.h"

namespace letterpress::annotations {

/// Where the pictures of such a list are sought: in the set's folder, then in images/ there.
std::vector<std::filesystem::path> split_list_folders(const std::filesystem::path& folder);
/// The names that a line of such a list may mean: itself, or with an extension.
std::vector<std::string> names_in_split_list(const std::string& line);

/// Lists of pictures in the set's folder that are called after splits (train.txt, valid.txt, or
/// Ultralytics' autosplit_train.txt), at least two, one of them of train: they become its sources,
/// and a remark says so. A file that names no picture of the set is not a list. Where `options`
/// forbid it, or the lists are of one split, or none is of train, a remark names them. Where they
/// keep what is held out alone, lists of that come before the sources, whose other pictures are of
/// no split.
void take_split_lists(const Input& folder, const AnnotationOptions& options, YoloDataset& dataset);

/// A remark names the set's folder whose lists state splits, where `folder` is its images/ or one
/// in that.
void note_split_lists_above(const Input& folder, const AnnotationOptions& options,
                            YoloDataset& dataset);

}  // namespace letterpress::annotations
