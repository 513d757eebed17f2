#pragma once
#include <string>
#include <vector>

namespace letterpress {

/// The lowest scores that count, as --conf takes them: "0.25" for all classes, "RBC=0.4" for one;
/// the last one for a class wins.
///   classes  names by id
/// Returns one per class, 0.25 by default. Throws Error (usage) for what is not a number from 0 to
/// under 1, and for a class that the model does not have, listing its classes.
std::vector<float> class_thresholds(const std::vector<std::string>& given,
                                    const std::vector<std::string>& classes);

}  // namespace letterpress
