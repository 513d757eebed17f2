#pragma once
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Checks boxes against the size of each picture that could be read, and turns those that are meant
/// before its EXIF turn. `recognised` tells of labels that do not say how they are meant.
void check_labels(Inputs& inputs);

}  // namespace letterpress
