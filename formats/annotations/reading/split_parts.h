#pragma once
#include <string>
#include <vector>

#include "inside_folder.h"

namespace letterpress::annotations {

/// Takes out COCO's files without boxes (captions_*.json, panoptic_*.json, image_info_*.json) where
/// others are found, and counts them in a remark.
void drop_without_boxes(std::vector<InsideFolder>& found, std::vector<std::string>& remarks);

/// Whether they are of one format, and each has a split of its own by its name. One whose name has
/// no split is train's, said in a remark, where the others are called as it is but for their splits
/// and none is train: annots beside Validation_annots.
bool join_as_splits(std::vector<InsideFolder>& found, std::vector<std::string>& remarks);

/// Where all that was found names its split: each folder of pictures that names another.
std::vector<LeftOutFolder> splits_without_labels(const Input& folder,
                                                 const std::vector<InsideFolder>& found);

/// Of a set that is read from all below a folder: each folder of pictures there that names a split
/// and of which neither a label file nor a picture was read.
std::vector<LeftOutFolder> splits_without_items(const Input& folder, const AnnotationSet& set);

void note_left_out(const std::vector<LeftOutFolder>& folders, std::vector<std::string>& remarks);

}  // namespace letterpress::annotations
