#pragma once
#include "preprocess/inputs/inputs.h"
#include "preprocess/options/build_listener.h"
#include "preprocess/plan/previous.h"

namespace letterpress {

/// Throws Error (data) when the ids of a label file have other classes than in the last build (its
/// class list has another order, its COCO categories have changed their names) and the labels of a
/// stored picture have not followed: they would mean other classes. Notes it where no stored
/// picture shows whether they have.
void check_class_order(const Inputs& inputs, const Previous& previous, const BuildOptions& options,
                       BuildListener& listener);

}  // namespace letterpress
