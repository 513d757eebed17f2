#pragma once
#include <string>
#include <vector>

namespace letterpress {

/// Lowest scores that count, as --conf gives them: "0.25" for all classes, "RBC=0.4" for one; the
/// last of a class wins.
///   classes  names by id
/// Answers one per class, 0.25 where nothing was said. Throws Error (usage) for what is no number
/// from 0 to under 1, and for a class that the model does not know, listing its classes.
std::vector<float> class_thresholds(const std::vector<std::string>& given,
                                    const std::vector<std::string>& classes);

}  // namespace letterpress
