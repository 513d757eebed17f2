#include "preprocess/likeness/scenes.h"

#include <algorithm>
#include <numeric>

namespace letterpress {
namespace {

std::int32_t root(std::vector<std::int32_t>& above, std::int32_t picture) {
  const auto of = [&](std::int32_t i) -> std::int32_t& {
    return above[static_cast<std::size_t>(i)];
  };
  while (of(picture) != picture) picture = of(picture) = of(of(picture));
  return picture;
}

}  // namespace

Scenes scenes_of(std::size_t pictures, std::span<const AlikePair> pairs) {
  Scenes result;
  result.first.resize(pictures);
  std::iota(result.first.begin(), result.first.end(), 0);
  for (const AlikePair& pair : pairs) {
    const std::int32_t a = root(result.first, pair.a), b = root(result.first, pair.b);
    result.first[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  std::vector<std::int64_t> sizes(pictures);
  for (std::size_t i = 0; i < pictures; ++i) {
    result.first[i] = root(result.first, static_cast<std::int32_t>(i));
    ++sizes[static_cast<std::size_t>(result.first[i])];
  }
  for (std::size_t i = 0; i < pictures; ++i) {
    const std::int64_t size = sizes[static_cast<std::size_t>(result.first[i])];
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
