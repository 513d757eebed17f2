#pragma once
#include <string>
#include <vector>

#include "letterpress/shards/store.h"

namespace letterpress {

/// FitOptions::class_weights as numbers: none for "none", one per class for "w,w,...". Throws Error
/// (usage) for what is not a positive number.
std::vector<double> class_weights_from(const std::string& text);

/// "auto" as numbers, from what the snapshot's clean rows hold, of all splits; other text as it is.
/// A class of n of all N objects (pictures, in sets for classification) in C classes weighs N / (C
/// n), as scikit-learn's "balanced"; one without any as one with a single object.
std::string with_counted_weights(const std::string& text, const Snapshot& snapshot);

}  // namespace letterpress
