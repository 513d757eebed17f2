#pragma once
#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Notes classes that have lost all they had while new ones came: one may have a new name only.
void note_replaced_classes(const Inputs& inputs, const Previous& previous, BuildListener& listener);

}  // namespace letterpress
