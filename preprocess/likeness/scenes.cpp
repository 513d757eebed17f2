#include "preprocess/likeness/scenes.h"

#include <algorithm>

#include "preprocess/likeness/joined.h"

namespace letterpress {

Scenes scenes_of(std::size_t pictures, std::span<const AlikePair> pairs) {
  Scenes result;
  Joined joined(pictures);
  for (const AlikePair& pair : pairs) joined.join(pair.a, pair.b);
  result.group.resize(pictures);
  std::vector<std::int64_t> sizes(pictures);
  for (std::size_t i = 0; i < pictures; ++i) {
    result.group[i] = joined.first_of(static_cast<std::int32_t>(i));
    ++sizes[static_cast<std::size_t>(result.group[i])];
  }
  result.first = result.group;
  for (std::size_t i = 0; i < pictures; ++i) {
    const std::int64_t size = sizes[static_cast<std::size_t>(result.group[i])];
    if (2 * size <= static_cast<std::int64_t>(pictures)) continue;
    if (size > 1) result.apart = size;
    result.first[i] = static_cast<std::int32_t>(i);
  }
  for (const std::int64_t size : sizes) {
    if (size < 2 || 2 * size > static_cast<std::int64_t>(pictures)) continue;
    ++result.scenes;
    result.pictures += size;
    result.largest = std::max(result.largest, size);
  }
  return result;
}

}  // namespace letterpress
