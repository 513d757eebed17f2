#pragma once
#include "formats/annotations/files/input.h"

namespace letterpress::annotations {

/// Where no picture's split is stated and at least two, one of them train, are named by the folders
/// of all pictures, or of their label files (split_of_folders): each gets the split of its folder,
/// and a remark counts them, and those of other folders, which are train. Where words name splits
/// only in part (pcb_val), none is train, `options` forbid it or one label file lists all: a remark
/// says that they are read as one split. Splits that are stated stay, unless `options` say
/// otherwise (leave_out_splits). given: the --input; labels: what was read of it.
void settle_folder_splits(const Input& given, const Input& labels, const AnnotationOptions& options,
                          AnnotationSet& set);

}  // namespace letterpress::annotations
