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

/// Where all that was found names its split: a remark for each folder of pictures that names a
/// split without labels.
void note_unlabelled_splits(const Input& folder, const std::vector<InsideFolder>& found,
                            std::vector<std::string>& remarks);

}  // namespace letterpress::annotations
