#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "trainer/exchange/start_weights.h"

namespace letterpress {

/// What the classes of imported weights are called: as the file `list` says (--classes), else,
/// where that is empty, as the weights' own file does. Throws Error: what read_class_list() does;
/// usage where the weights' own file names none, or such as `build` would refuse; configuration
/// when they are not as many as the output layers.
std::vector<std::string> imported_classes(const StartWeights& start,
                                          const std::filesystem::path& list);

}  // namespace letterpress
