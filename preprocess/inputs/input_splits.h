#pragma once
#include <string>
#include <vector>

#include "preprocess/options/build_options.h"

namespace letterpress {

/// What several --inputs are called after.
struct InputSplits {
  std::vector<std::string> splits;   ///< of each of options.inputs; empty: as it states, else train
  std::vector<std::string> remarks;  ///< which are taken, and which are not
};
/// Folders in one folder that are called after splits, one of them after train, are those splits,
/// as they are where the outer one is the input: x/train and x/val. So are label files, but only
/// with one of val among them: train.txt and test.txt may both be for training. Where --val or
/// --split is given, none is. A remark names each other input that is called after another split
/// than train, or by a word that may stand for one, and each that lies in another one. A share by
/// --val makes train and val anew, whatever is called after them.
InputSplits splits_of_inputs(const BuildOptions& options);

}  // namespace letterpress
