#pragma once
#include <cstddef>
#include <string>

#include "letterpress/base/box_rule.h"

namespace letterpress {

/// One augmentation of a recipe: its kind and its columns [first, first + count) of /augment.
struct RecipeStepInfo {
  std::string kind;
  std::size_t first = 0, count = 0;
};

}  // namespace letterpress
