#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/exchange/start_weights.h"

namespace letterpress {

/// What the classes of imported weights are called: as the file `list` says (--classes), else,
/// where that is empty, as the weights' own file does. Throws Error: usage when neither names them;
/// configuration when they are not as many as the output layers; data for names that `build` would
/// refuse: empty, given twice, not UTF-8, with control characters.
std::vector<std::string> imported_classes(const StartWeights& start,
                                          const std::filesystem::path& list);

}  // namespace letterpress
