#pragma once
#include <string>

#include "formats/annotations/files/input.h"
#include "yolo_dataset.h"

namespace letterpress::annotations {

/// The list of names that labelImg and others leave with the labels, in their set's folder or in
/// each split's, from the input's folder; empty: none. Throws Error (usage) that shows both when
/// two differ: ids mean classes by one of them only, which is for people to settle.
std::string class_list_near(const Input& input);
/// Whether there is one, or several.
bool has_class_list_near(const Input& input);
/// Compares the names of a set that a file of its own describes (data.yaml, obj.data) with the
/// lists near its labels. Throws Error (usage) that shows both where by a list among the labels an
/// id means another class; a remark tells of another list, and of one that only has more names at
/// its end, or fewer.
void check_class_lists_near(const FileTree& files, YoloDataset& dataset);

}  // namespace letterpress::annotations
