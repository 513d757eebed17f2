#pragma once
#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"

namespace letterpress {

/// Notes how many stored pictures are the first page or frame of several, and how many are JPEGs
/// that end early, and names one of each.
void note_partly_read(const Inputs& inputs, BuildListener& listener);

}  // namespace letterpress
