#pragma once
#include <string>
#include <vector>

namespace letterpress {

/// What of start weights is loaded.
enum class Match {
  strict,  ///< everything fits, or nothing is loaded
  shape,   ///< tensors of the same name and shape
  name,    ///< also, in output layers, box and objectness rows, and the rows of classes with the
           ///< same name
};

/// By Match.
inline const std::vector<std::string> kMatchNames{"strict", "shape", "name"};

}  // namespace letterpress
