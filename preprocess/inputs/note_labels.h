#pragma once
#include "preprocess/inputs/build_listener.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Notes what is no fault by itself, but a sign that labels mean something else than was read.
void note_labels(const Inputs& inputs, const Accounting& accounting, BuildListener& listener);

}  // namespace letterpress
