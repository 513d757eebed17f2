#pragma once
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Whether the label file states a size that the picture does not have, neither as stored nor as
/// EXIF turns it. Shares are of any size of one aspect.
bool states_other_size(const Candidate& candidate);

/// Boxes in pixels of another size than the picture's: rejects the picture, or scales them where
/// both sizes have one aspect.
void settle_label_sizes(Inputs& inputs, LabelSize label_size);

}  // namespace letterpress
