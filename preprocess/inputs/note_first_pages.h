#pragma once
#include "preprocess/inputs/build_listener.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Notes how many pictures are the first page or frame of several, and names one.
void note_first_pages(const Inputs& inputs, BuildListener& listener);

}  // namespace letterpress
