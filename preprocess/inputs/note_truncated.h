#pragma once
#include "preprocess/inputs/build_listener.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Notes how many JPEGs are kept that end early, and names one.
void note_truncated(const Inputs& inputs, BuildListener& listener);

}  // namespace letterpress
