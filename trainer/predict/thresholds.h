#pragma once
#include <string>
#include <vector>

#include "letterpress/base/detection_defaults.h"

namespace letterpress {

/// What --conf must be: a score, or CLASS=SCORE.
std::string threshold_limits();
/// The lowest scores that count, as --conf takes them: "0.25" for all classes, "RBC=0.4" for one,
/// by its name or else its id.
///   classes    names by id
///   otherwise  of classes that none is given for
/// Returns one per class. Throws Error (usage) for what is not a number from 0 to
/// under 1, for a second score for one class or for all, and for a class that the model does not
/// have, listing its classes.
std::vector<float> class_thresholds(const std::vector<std::string>& given,
                                    const std::vector<std::string>& classes,
                                    double otherwise = kDefaultConfidence);

}  // namespace letterpress
