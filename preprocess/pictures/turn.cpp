#include <algorithm>
#include <utility>

#include "preprocess/pictures/decoders.h"

namespace letterpress {
namespace {

// Copies n pixels, from `in` on, `step` bytes apart.
void copy_line(const std::uint8_t* in, std::ptrdiff_t step, std::int32_t n, std::uint8_t* out) {
  for (std::int32_t x = 0; x < n; ++x, in += step, out += 3) std::copy_n(in, 3, out);
}

}  // namespace

void turn(std::span<const std::uint8_t> stored, std::int32_t width, std::int32_t height,
          std::int32_t orientation, std::vector<std::uint8_t>& turned) {
  turned.resize(stored.size());
  // Orientation says where the first stored row and column are displayed. In display order:
  const bool transposed = orientation >= 5;  // a displayed row is a stored column
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 ||
                          orientation == 8;  // stored x runs backwards
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 ||
                           orientation == 7;  // stored y runs backwards
  const std::ptrdiff_t line = 3 * static_cast<std::ptrdiff_t>(width);
  std::ptrdiff_t along_x = from_right ? -3 : 3, along_y = from_bottom ? -line : line;
  const std::uint8_t* start =
      stored.data() + (from_right ? line - 3 : 0) + (from_bottom ? line * (height - 1) : 0);
  if (transposed) std::swap(along_x, along_y), std::swap(width, height);
  for (std::int32_t y = 0; y < height; ++y)
    copy_line(start + y * along_y, along_x, width,
              turned.data() + 3 * static_cast<std::ptrdiff_t>(width) * y);
}

}  // namespace letterpress
