#pragma once
#include <string>

#include "preprocess/inputs/build_listener.h"
#include "preprocess/inputs/inputs.h"

namespace letterpress {

/// Moves train pictures to val whose key (SplitKey), as a number in 0..1, is below the share. No
/// seed: a picture never moves, whatever else comes or goes.
void assign_val_share(Inputs& inputs, double share, const std::string& group);

/// Notes which pictures a split gets, and that --val gets none, where no label file states it.
/// Pictures that move to val are in the accounting.
void note_splits(const Inputs& inputs, const BuildOptions& options, BuildListener& listener);

/// Throws Error (no_input) when --val or other splits have left no picture to train on. A set of
/// validation pictures alone is accepted when its label files say so.
void check_train_pictures(const Inputs& inputs, const BuildOptions& options);

}  // namespace letterpress
