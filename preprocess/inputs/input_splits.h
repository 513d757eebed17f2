#pragma once
#include <string>
#include <vector>

#include "preprocess/inputs/build_options.h"

namespace letterpress {

/// What several --inputs are called after.
struct InputSplits {
  std::vector<std::string> splits;   ///< of each of options.inputs; empty: as it states, else train
  std::vector<std::string> remarks;  ///< which are taken, and which are not
};
/// Inputs in one folder that are called after splits, one of them after train, are those splits, as
/// they are where their folder is the input: x/train and x/val. Where --val or --split is given,
/// none is.
InputSplits splits_of_inputs(const BuildOptions& options);

}  // namespace letterpress
