#pragma once
#include <vector>

#include "formats/annotations/files/input.h"
#include "letterpress/annotations/annotations.h"

namespace letterpress::annotations {

/// The lists train, val and test in ImageSets/Main of a Pascal VOC set (VOC 2012 development kit),
/// or trainval in place of train where there is no list of val. None where train and another one
/// are not there.
std::vector<LabelPart> listed_splits(const Input& folder);

}  // namespace letterpress::annotations
