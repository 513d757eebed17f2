#pragma once
#include <string>
#include <vector>

#include "formats/annotations/files/input.h"

namespace letterpress::annotations {

/// A folder below a set's that has a data.yaml or a list of classes of its own, and that file; from
/// the input's folder: "ds", "ds/data.yaml".
struct YoloSetBelow {
  std::string folder, file;
};

/// Whether the pictures of a folder are neither in it nor in images/ there, but deeper.
bool is_above_pictures(const Input& folder);

/// Of a folder whose pictures lie deeper: the sets in its folders that say what they hold, by a
/// data.yaml or obj.data; where it has one folder only, those in that. Folders that are called
/// after splits, images/ and labels/ are parts of a set, and are not among them.
std::vector<YoloSetBelow> yolo_sets_below(const Input& input);
/// Those of them that are read in place of the folder: with pictures below. Where classes are named
/// for the folder itself, all of it can be read: then only those that state splits, unless a flag
/// does.
std::vector<YoloSetBelow> yolo_sets_to_read(const Input& input, const AnnotationOptions& options,
                                            std::vector<YoloSetBelow> below);
/// The folders beside the set's own.
std::vector<std::filesystem::path> folders_beside(const Input& input, const YoloSetBelow& set);
/// Of these, with a remark, each that holds pictures of which none was read.
void note_folders_not_read(const FileTree& files, const std::vector<std::filesystem::path>& folders,
                           AnnotationSet& set);

/// Whether such a file states splits, as far as its lines tell.
bool states_splits(const FileTree& files, const std::filesystem::path& file);

/// The data.yaml or obj.data that states splits, in one of the two folders above an input; empty:
/// none.
std::filesystem::path yolo_set_above(const Input& input);

}  // namespace letterpress::annotations
